import { codePointMark, controlMark, isControl, isHidden } from './hidden-characters.js'

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

function asciiReading(character: string): string | undefined {
  const known = LETTERS.get(character) ?? PUNCTUATION.get(character)
  if (known !== undefined) return known
  const point = character.codePointAt(0)!
  const isFullwidth = point >= 0xff01 && point <= 0xff5e
  const isMathematical = point >= 0x1d400 && point <= 0x1d7ff
  const folded = isFullwidth || isMathematical ? character.normalize('NFKC') : ''
  return /^[\x21-\x7e]$/.test(folded) ? folded : undefined
}

function isLookAlikeLetter(character: string): boolean {
  return LETTERS.has(character)
}

/** A word with letters of two confusable scripts, or of look-alikes only. */
function isMixedScriptWord(word: string): boolean {
  if (/^[\x20-\x7e]*$/.test(word)) return false
  if (CONFUSED_SCRIPTS.filter(script => script.test(word)).length > 1) return true
  const letters = Array.from(word).filter(character => /\p{L}/u.test(character))
  return letters.length > 1 && letters.every(isLookAlikeLetter)
}

function asciiReadingOf(word: string): string {
  return Array.from(word, character => asciiReading(character) ?? character).join('')
}

/**
 * A value of an approval as a person must see it before deciding. `visibleText` makes text safe;
 * this reveals deception: padding that pushes the dangerous part out of view, letters that imitate
 * others, and our own marks inside the value. Every deception is counted in `findings`, which raise
 * the risk of the request.
 */
export interface VisibleValue {
  text: string
  /** The same text in pieces, for surfaces that underline suspicious parts. */
  pieces: readonly VisiblePiece[]
  findings: readonly Finding[]
}

interface VisiblePiece {
  text: string
  finding?: FindingKind
  /** For look-alikes: the ASCII text that the piece imitates. */
  reading?: string
}

type FindingKind =
  | 'control characters'
  | 'hidden characters'
  | 'mixed-script words'
  | 'look-alike characters'
  | 'unusual blanks'
  | 'long blanks'
  | 'empty lines'
  | 'tabs'

interface Finding {
  what: FindingKind
  count: number
}

const BLANKS_MAX = 8
const EMPTY_LINES_MAX = 3

/** Marks that this file adds: inside a value they would look like a remark of ours. */
const OUR_MARKS = /[⟦⟧␛␍]/u
/** Blanks that look like the ASCII space, but not to a shell; U+2800 is empty braille. */
const UNUSUAL_BLANK = /[\p{Zs}\u2800]/u

export function visibleValue(value: string): VisibleValue {
  const pieces: VisiblePiece[] = []
  const lines = value.split('\n')
  for (let index = 0; index < lines.length; index += 1) {
    const empty = countEmptyLines(lines, index)
    if (empty > EMPTY_LINES_MAX) {
      pieces.push({ text: `⟦${empty} empty lines⟧`, finding: 'empty lines' })
      index += empty - 1
    } else {
      pieces.push(...visibleLine(lines[index]!))
    }
    if (index < lines.length - 1) pieces.push({ text: '\n' })
  }
  return { text: pieces.map(textOf).join(''), pieces: joinPlain(pieces), findings: countFindings(pieces) }
}

/** A line of blanks counts as empty. */
function countEmptyLines(lines: readonly string[], start: number): number {
  let end = start
  while (end < lines.length && /^[\p{Zs}\t\u2800]*$/u.test(lines[end]!)) end += 1
  return end - start
}

/** Words, blanks and other characters are read in runs, so that a word is judged as a whole. */
function visibleLine(line: string): VisiblePiece[] {
  const characters = Array.from(line)
  const kinds = characters.map((_, index) => runKindOf(characters, index))
  const pieces: VisiblePiece[] = []
  for (let start = 0; start < characters.length; ) {
    let end = start + 1
    while (end < characters.length && kinds[end] === kinds[start]) end += 1
    const run = characters.slice(start, end)
    const word = run.join('')
    if (kinds[start] === 'blank') pieces.push(...visibleBlanks(run))
    else if (kinds[start] === 'word' && isMixedScriptWord(word)) {
      pieces.push({ text: word, finding: 'mixed-script words', reading: asciiReadingOf(word) })
    } else for (let index = start; index < end; index += 1) pieces.push(visibleCharacter(characters, index))
    start = end
  }
  return pieces
}

function runKindOf(characters: readonly string[], index: number): 'blank' | 'word' | 'other' {
  const character = characters[index]!
  if (UNUSUAL_BLANK.test(character)) return 'blank'
  return /[\p{L}\p{M}\p{Nd}_]/u.test(character) && !isHidden(characters, index) ? 'word' : 'other'
}

function visibleBlanks(run: readonly string[]): VisiblePiece[] {
  if (run.length > BLANKS_MAX) return [{ text: `⟦${run.length} spaces⟧`, finding: 'long blanks' }]
  return run.map(character =>
    character === ' ' ? { text: ' ' } : { text: codePointMark(character), finding: 'unusual blanks' },
  )
}

function visibleCharacter(characters: readonly string[], index: number): VisiblePiece {
  const character = characters[index]!
  if (character === '\t') return { text: '→', finding: 'tabs' }
  if (isControl(character)) return { text: controlMark(character), finding: 'control characters' }
  if (isHidden(characters, index)) return { text: codePointMark(character), finding: 'hidden characters' }
  if (OUR_MARKS.test(character)) return { text: codePointMark(character), finding: 'look-alike characters' }
  const reading = characterReading(character)
  return reading === undefined ? { text: character } : { text: character, finding: 'look-alike characters', reading }
}

/** The words and characters of a text that imitate ASCII ones, with their places. */
export function lookAlikes(text: string): { from: number; to: number; reading: string }[] {
  const found: { from: number; to: number; reading: string }[] = []
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{M}\p{Nd}_]+|[^\x00-\x7f]/gu)) {
    if (isMixedScriptWord(run)) {
      found.push({ from: index, to: index + run.length, reading: asciiReadingOf(run) })
      continue
    }
    let from = index
    for (const character of run) {
      const to = from + character.length
      const reading = characterReading(character)
      if (reading !== undefined) found.push({ from, to, reading })
      from = to
    }
  }
  return found
}

/**
 * Letters of another alphabet are judged with their word: a whole word in one alphabet is not
 * deceptive.
 */
function characterReading(character: string): string | undefined {
  return isLookAlikeLetter(character) ? undefined : asciiReading(character)
}

function textOf(piece: VisiblePiece): string {
  return piece.reading === undefined ? piece.text : `${piece.text}⟦reads ${piece.reading}⟧`
}

function joinPlain(pieces: readonly VisiblePiece[]): VisiblePiece[] {
  const joined: VisiblePiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last && !last.finding && !piece.finding) last.text += piece.text
    else joined.push({ ...piece })
  }
  return joined
}

function countFindings(pieces: readonly VisiblePiece[]): Finding[] {
  const counts = new Map<FindingKind, number>()
  for (const { finding } of pieces) if (finding) counts.set(finding, (counts.get(finding) ?? 0) + 1)
  return [...counts].map(([what, count]) => ({ what, count }))
}
