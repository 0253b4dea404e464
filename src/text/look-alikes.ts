/** Letters of other scripts that are drawn like ASCII ones in common fonts. Pairs: the letter, then what it reads as. */
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

/** Punctuation drawn like ASCII punctuation, by what it reads as. Not `‹›`, which are ours, and not box drawing, which frames tables. */
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

/** Scripts whose letters are taken for one another. Latin inside Chinese, Japanese or Korean text is ordinary and not meant here. */
const CONFUSED_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
]

/** What a character pretends to be, if it is drawn like an ASCII character and is none. */
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

/** A word of letters from two scripts that are taken for one another, or one made only of look-alikes. */
export function isMixedScriptWord(word: string): boolean {
  if (/^[\x20-\x7e]*$/.test(word)) return false
  if (CONFUSED_SCRIPTS.filter(script => script.test(word)).length > 1) return true
  const letters = Array.from(word).filter(character => /\p{L}/u.test(character))
  return letters.length > 1 && letters.every(isLookAlikeLetter)
}

export function asciiReadingOf(word: string): string {
  return Array.from(word, character => asciiReading(character) ?? character).join('')
}
