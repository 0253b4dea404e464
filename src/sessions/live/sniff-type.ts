const MAGIC: readonly [type: string, bytes: readonly number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', [0x1f, 0x8b]],
]

/** What a file is by its first bytes; its name may say anything. */
export function sniffType(bytes: Uint8Array): string {
  const known = MAGIC.find(([, magic]) => magic.every((byte, index) => bytes[index] === byte))
  if (known) return known[0]
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp'
  return isText(bytes.subarray(0, 4096)) ? 'text/plain' : 'application/octet-stream'
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  // A character may be cut at the end of what is looked at.
  const text = new TextDecoder('utf-8', { fatal: false }).decode(bytes).replace(/\ufffd{1,3}$/u, '')
  return !text.includes('\ufffd')
}
