/** Algorithm lists to offer besides the library's defaults, in its own form. */
export interface ExtraAlgorithms {
  readonly kex: readonly string[];
  readonly cipher: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly hmac: readonly string[];
}

/**
 * What old switches still need: SHA-1 key exchange, CBC ciphers, DSA host keys, MD5 and short MACs. Appended to the
 * modern ones, so that a switch that can do better does.
 */
export const LEGACY: ExtraAlgorithms = {
  kex: ['diffie-hellman-group14-sha1', 'diffie-hellman-group-exchange-sha1', 'diffie-hellman-group1-sha1'],
  cipher: ['aes256-cbc', 'aes192-cbc', 'aes128-cbc', '3des-cbc'],
  serverHostKey: ['ssh-dss'],
  hmac: ['hmac-md5', 'hmac-sha1-96', 'hmac-md5-96'],
};
