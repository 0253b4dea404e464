/**
 * A short hash of a list of texts: two 32-bit FNV-1a hashes with different seeds, in hex. Equal
 * texts have equal hashes at any width; it distinguishes menus on one screen. A decision is bound
 * to a cryptographic hash (approvals/), never to this one.
 */
export function hashTexts(parts: readonly string[]): string {
  const text = parts.map(part => part.replace(/[\s\u00a0]+/gu, ' ').trim()).join('\u0000')
  return [0x811c9dc5, 0x9747b28c].map(seed => fnv(text, seed).toString(16).padStart(8, '0')).join('')
}

function fnv(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
