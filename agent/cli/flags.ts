import type { FlagSpec } from './command.ts';

export const JSON_FLAG: FlagSpec = { name: 'json', value: null, summary: "the API's document as JSON" };
export const SOCKET: FlagSpec = {
  name: 'socket',
  value: 'DIR|PATH',
  summary: 'where the sockets are (default /run/portkeeper or $PORTKEEPER_RUNTIME_DIR)',
};
export const NO_COLOR: FlagSpec = {
  name: 'no-color',
  value: null,
  summary: 'no colours (also with NO_COLOR set, or not on a terminal)',
};
export const NO_HEADERS: FlagSpec = { name: 'no-headers', value: null, summary: 'tables without the line of titles' };
export const WIDE: FlagSpec = { name: 'wide', value: null, summary: 'more columns, nothing cut off' };
export const SWITCH: FlagSpec = { name: 'switch', value: 'NAME', summary: 'only this switch' };
export const CONFIG: FlagSpec = {
  name: 'config',
  value: 'FILE',
  summary: 'configuration file (default /etc/portkeeper/portkeeper.yaml or $PORTKEEPER_CONFIG)',
};
export const READ = [JSON_FLAG, SOCKET, NO_COLOR];
