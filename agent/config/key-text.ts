/** What is wrong with the text of a private key, as a sentence; null when it looks right. Never quotes the text. */
export function privateKeyProblem(text: string, hasPassphrase: boolean): string | null {
  if (/^(ssh-|ecdsa-|sk-)/.test(text)) return 'holds the public key; name the private one (usually without .pub)';
  if (text.startsWith('PuTTY-User-Key-File')) {
    return 'is a PuTTY key; convert it: puttygen KEY -O private-openssh -o NEWKEY';
  }
  if (!/^-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY-----/.test(text)) return 'is not a private key in PEM or OpenSSH form';
  if (!/-----END ([A-Z0-9]+ )*PRIVATE KEY-----\s*$/.test(text)) return 'is cut off: the line -----END ... is missing';
  if (isEncrypted(text) && !hasPassphrase) return 'is protected by a passphrase; name a passphraseFile as well';
  return null;
}

/** True for a key that needs a passphrase: old PEM header, PKCS #8, or a cipher name in OpenSSH form (PROTOCOL.key). */
function isEncrypted(text: string): boolean {
  if (/^Proc-Type: 4,ENCRYPTED/m.test(text) || text.startsWith('-----BEGIN ENCRYPTED PRIVATE KEY-----')) return true;
  if (!text.startsWith('-----BEGIN OPENSSH PRIVATE KEY-----')) return false;
  const raw = Buffer.from(text.replace(/-----[A-Z ]+-----/g, ''), 'base64');
  const magic = 'openssh-key-v1\0';
  if (raw.length < magic.length + 4 || raw.subarray(0, magic.length).toString('latin1') !== magic) return false;
  const length = raw.readUInt32BE(magic.length);
  return raw.subarray(magic.length + 4, magic.length + 4 + length).toString('latin1') !== 'none';
}

/** What is wrong with the text of a certificate file; null when it looks right. */
export function certificateProblem(text: string): string | null {
  if (text.includes('PRIVATE KEY-----')) return 'holds a private key; it must hold the certificate only';
  return text.includes('-----BEGIN CERTIFICATE-----') ? null : 'holds no certificate in PEM form';
}
