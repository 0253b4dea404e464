const FOLDERS = new Set([
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.mozilla',
  '.password-store',
  'keychains',
])
const NAMES = new Set(['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.pgpass', 'auth.json', '.credentials.json'])
const PATTERNS = [
  /^\.env/,
  /\.(?:pem|key|p12|pfx|kdbx|keystore|jks)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
  /^credentials/,
  /service-account.*\.json$/,
]

/** Whether a path usually contains credentials, by its names; case is ignored. */
export function isSecretPath(path: string): boolean {
  const segments = path.toLowerCase().split(/[\\/]+/)
  const name = segments.at(-1) ?? ''
  if (segments.some(segment => FOLDERS.has(segment)) || NAMES.has(name)) return true
  if (name === 'config' && segments.at(-2) === '.git') return true
  return PATTERNS.some(pattern => pattern.test(name))
}
