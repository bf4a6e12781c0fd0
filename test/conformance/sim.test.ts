import { simSubject } from './sim-switch.ts';
import { conformance } from './suite.ts';

conformance('sim', simSubject);
