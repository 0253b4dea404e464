/** Letters that fonts draw like ASCII ones. Pairs: the letter, its look-alike. */
const LETTERS = new Map(
  [
    // Cyrillic
    'аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw ѵv ӏl ԍg АA ВB ЕE КK МM НH ОO РP СC ТT ХX ІI ЈJ ЅS ԌG ԚQ ԜW УY ѴV',
    // Greek
    'αa οo νv ρp ιi κk υu χx ϲc ϳj ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
    // Armenian, Cherokee, Latin extensions
    'օo սu հh ոn ցg քf ՏS ՕO ᎪA ᏴB ᏟC ᎠD ᎬE ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᎳW ᏃZ ıi ɑa ɡg ȷj ʟL ǀl',
  ]
    .join(' ')
    .split(' ')
    .map(pair => Array.from(pair) as [string, string]),
)

/**
 * Punctuation that looks like ASCII punctuation, by the ASCII character. Without `‹›`, which mark
 * redacted secrets, and without box drawing, which frames tables.
 */
const PUNCTUATION = new Map(
  Object.entries({
    "'": '‘’‚‛′‵ʹʻʼʽˈ՚׳',
    '"': '“”„‟″‶ʺ״〃',
    '-': '‐‑‒–—―−⁃﹘﹣➖',
    '/': '⁄∕⧸',
    '\\': '∖⧵﹨',
    ':': '∶꞉ː׃﹕',
    ';': '\u037e﹔',
    '.': '․﹒۔',
    ',': '‚،﹐',
    '*': '∗⁎٭﹡',
    '!': 'ǃ',
    '|': '∣❘',
    '~': '∼˜',
    '`': '\u1fefˋ',
    '<': '˂',
    '>': '˃',
    '=': '꞊',
  }).flatMap(([ascii, forms]) => Array.from(forms, form => [form, ascii] as const)),
)

/** Scripts with confusable letters. Latin in Chinese, Japanese, Korean is ordinary. */
const CONFUSED_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
]

export function asciiReading(character: string): string | undefined {
  const known = LETTERS.get(character) ?? PUNCTUATION.get(character)
  if (known !== undefined) return known
  const point = character.codePointAt(0)!
  const isFullwidth = point >= 0xff01 && point <= 0xff5e
  const isMathematical = point >= 0x1d400 && point <= 0x1d7ff
  const folded = isFullwidth || isMathematical ? character.normalize('NFKC') : ''
  return /^[\x21-\x7e]$/.test(folded) ? folded : undefined
}

export function isLookAlikeLetter(character: string): boolean {
  return LETTERS.has(character)
}

/** A word with letters of two confusable scripts, or of look-alikes only. */
export function isMixedScriptWord(word: string): boolean {
  if (/^[\x20-\x7e]*$/.test(word)) return false
  if (CONFUSED_SCRIPTS.filter(script => script.test(word)).length > 1) return true
  const letters = Array.from(word).filter(character => /\p{L}/u.test(character))
  return letters.length > 1 && letters.every(isLookAlikeLetter)
}

export function asciiReadingOf(word: string): string {
  return Array.from(word, character => asciiReading(character) ?? character).join('')
}
