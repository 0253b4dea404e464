import type { Frame } from '../../terminal/index.js'
import type { MenuSpec, Pack } from '../pack/pack.js'
import { fingerprint } from '../print.js'
import { type MenuRow, menuRows } from './menu-rows.js'
import { meaningOf } from './meaning.js'
import type { Menu, MenuKind, MenuOption } from './menu.js'
import { findOptionGroup, type OptionGroup } from './option-group.js'
import { cutAccelerator } from './option-row.js'

/** A menu as it stands on screen, with what is needed to judge whether it is live. */
export interface MenuCandidate {
  menu: Omit<Menu, 'live'>
  group: OptionGroup
  spec: MenuSpec | null
  footerRows: [number, number] | null
}

const FOOTER_FRAGMENT = /^(?<keys>(?:[↑↓←→⇆⇄/ ]+|(?:esc|enter|return|tab|space|ctrl|shift|alt|cmd|\^|press)[^\s·•|,]*)(?:\s*[+/]\s*\S+)?)[:\s]\s*(?:to\s+)?(?<verb>\S.*)$/iu

export function parseMenu(frame: Frame, pack: Pack): MenuCandidate | null {
  const rows = menuRows(frame)
  const group = findOptionGroup(rows)
  if (!group) return null
  const head = readHead(rows, group)
  const spec = pack.menus.find(candidate => fitsSpec(candidate, head)) ?? null
  const footer = readFooter(rows, group.last)
  const kind: MenuKind = spec?.kind ?? guessKind(head.question, group)
  const options = group.options.map((option, index): MenuOption => {
    const { label, accelerator } = cutAccelerator(option.label)
    return {
      index,
      ...(option.number !== null && { number: option.number }),
      label,
      ...(option.detail !== '' && { detail: option.detail }),
      ...(accelerator !== undefined && { accelerator }),
      selected: index === group.selected,
      checked: option.checked,
      ...meaningOf(label, spec),
    }
  })
  const danger = pack.danger.filter(entry => entry.match.test(`${head.title}\n${head.question}`)).flatMap(entry => entry.rule)
  return {
    group,
    spec,
    footerRows: footer.rows,
    menu: {
      print: fingerprint([kind, head.question, ...head.body, ...options.map(option => option.label)]),
      kind,
      origin: spec?.origin ?? 'agent',
      layout: group.layout,
      ...(head.title !== '' && { title: head.title }),
      question: head.question,
      body: head.body,
      options,
      selected: group.selected,
      multi: options.some(option => option.checked !== null),
      tabs: [],
      text: null,
      more: { above: false, below: false },
      footer: footer.keys,
      danger: [...new Set(danger)],
      rows: [head.first, footer.rows?.[1] ?? group.last],
    },
  }
}

interface Head {
  title: string
  question: string
  body: string[]
  first: number
}

/** The rows above the options up to a rule, a box edge or two blanks: title, body and, nearest to the options, the question. */
function readHead(rows: readonly MenuRow[], group: OptionGroup): Head {
  const found: MenuRow[] = []
  let blanks = 0
  let first = group.first
  for (let index = group.first - 1; index >= 0; index--) {
    const row = rows[index]!
    if (row.isRule) {
      first = index
      break
    }
    blanks = row.isBlank ? blanks + 1 : 0
    if (blanks >= 2) break
    found.unshift(row)
    if (!row.isBlank) first = index
  }
  const texts = found.filter(row => !row.isFrame).map(row => row.text.trim()).filter(text => text !== '')
  const asking = texts.findLastIndex(text => /[?:]$/u.test(text))
  const at = asking >= 0 ? asking : texts.length - 1
  return { title: at > 0 ? texts[0]! : '', question: texts[at] ?? '', body: texts.slice(at > 0 ? 1 : 0, Math.max(at, 0)), first }
}

function fitsSpec(spec: MenuSpec, head: Head): boolean {
  if (spec.question && !spec.question.test(head.question)) return false
  if (spec.title && !spec.title.test(head.title)) return false
  return Boolean(spec.question ?? spec.title)
}

function guessKind(question: string, group: OptionGroup): MenuKind {
  const labels = group.options.map(option => option.label.toLowerCase())
  const hasYes = labels.some(label => /^(yes|allow|approve|proceed)\b/.test(label))
  const hasNo = labels.some(label => /^(no|deny|reject|cancel)\b/.test(label))
  if (/\btrust\b/i.test(question)) return 'trust'
  return hasYes && hasNo ? 'permission' : 'question'
}

/** At most three rows below the options that name keys and what they do. */
function readFooter(rows: readonly MenuRow[], below: number): { keys: { keys: string; verb: string }[]; rows: [number, number] | null } {
  for (let index = below + 1, seen = 0; index < rows.length && seen < 3; index++) {
    const row = rows[index]!
    if (row.isBlank || row.isRule) continue
    seen++
    const keys = row.text
      .trim()
      .split(/\s*[·•|,]\s*|\s{2,}/u)
      .map(fragment => FOOTER_FRAGMENT.exec(fragment)?.groups)
      .filter(groups => groups !== undefined)
      .map(groups => ({ keys: groups.keys!.trim(), verb: groups.verb!.trim() }))
    if (keys.length > 0) return { keys, rows: [index, index] }
  }
  return { keys: [], rows: null }
}

