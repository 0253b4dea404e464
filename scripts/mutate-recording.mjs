// Other words and other glyphs of the same width: what is left when an agent's vocabulary is taken away.

const VOWELS = 'aeiouAEIOU'
const NEXT = 'eiouaEIOUA'
export function otherWords(text) {
  return text.replace(/[A-Za-z]{3,}/g, word =>
    [...word].map(letter => (VOWELS.includes(letter) ? NEXT[VOWELS.indexOf(letter)] : letter)).join(''),
  )
}

export const GLYPH_MAP = {
  '❯': '➤',
  '›': '▹',
  '●': '■',
  '⏺': '■',
  '•': '▪',
  '◆': '◊',
  '✦': '✧',
  '⎿': '╰',
  '└': '╰',
  '✻': '❋',
  '✽': '❁',
  '✶': '✷',
  '✢': '✥',
  '✳': '❇',
  '·': '∙',
  '⏸': '⏹',
  '☐': '▢',
  '☒': '▧',
  '✔': '✓',
  '◻': '▫',
  '◼': '▮',
  '▣': '▩',
  '△': '▲',
  '⊷': '⊸',
  '⊶': '⊹',
  '■': '▰',
  '⬝': '▱',
  '○': '◌',
  '◎': '◍',
  '◉': '◒',
}
