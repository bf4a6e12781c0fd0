/** The program's version; a test keeps it equal to package.json, which is not there at run time. */
export const VERSION = '0.1.0';
