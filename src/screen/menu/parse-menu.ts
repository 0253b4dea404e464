import type { Frame } from '../../terminal/index.js'
import type { MenuSpec, Pack } from '../pack/pack.js'
import { fingerprint } from '../print.js'
import type { ScreenRow } from '../screen-row.js'
import { findAnyKey, findInline, findSpoken, type InlinePrompt } from './inline-prompt.js'
import { meaningOf } from './meaning.js'
import type { Menu, MenuKind, MenuOption } from './menu.js'
import { type MenuHead, readFooter, readHead } from './menu-head.js'
import { type MenuRow, toMenuRow } from './menu-rows.js'
import { findHorizontal, findVertical, type OptionGroup } from './option-group.js'
import { cutAccelerator } from './option-row.js'

/** A menu as it stands on screen, with what is needed to judge whether it is live. */
export interface MenuCandidate {
  menu: Omit<Menu, 'live'>
  group: OptionGroup
  spec: MenuSpec | null
  footerRows: [number, number] | null
  /** Believed only after it has stood still for a while. */
  isSoft: boolean
  rows: readonly MenuRow[]
}

const PLACEHOLDER =
  /^(?:type (?:something|your (?:own )?(?:answer|response)|a response)|tell .+ (?:what|how)|other\b|enter (?:your|a) |something else|custom)/iu

export function parseMenu(frame: Frame, screen: readonly ScreenRow[], pack: Pack): MenuCandidate | null {
  const rows = screen.map(toMenuRow)
  const inline = findInline(frame, rows)
  if (inline) return fromInline(inline, rows, pack)
  const vertical = findVertical(rows)
  const horizontal = findHorizontal(rows)
  const group =
    vertical && horizontal ? (horizontal.first > vertical.last ? horizontal : vertical) : (vertical ?? horizontal)
  const options = group && fromGroup(group, rows, frame, pack)
  const prompt = findAnyKey(frame, rows) ?? findSpoken(frame, rows)
  // A question at the cursor below a list that has nothing to do with it; not the list's own footer.
  const isBelow = prompt !== null && (options === null || prompt.group.first > options.menu.rows[1] + 1)
  return isBelow ? fromInline(prompt, rows, pack) : options
}

function fromGroup(group: OptionGroup, rows: readonly MenuRow[], frame: Frame, pack: Pack): MenuCandidate {
  const head = readHead(rows, group.first)
  const footer = readFooter(rows, group.last)
  const spec = specFor(pack, head, group)
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
  const kind = spec?.kind ?? guessKind(head, options)
  const above = rows[group.first - 1]?.text ?? ''
  const below = rows[group.last + 1]?.text ?? ''
  return {
    group,
    spec,
    footerRows: footer.rows,
    isSoft: false,
    rows,
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
      tabs: head.tabs,
      ...(head.page && { page: head.page }),
      text: textField(group, options, frame),
      more: { above: /^\s*(?:▲|↑ \d+ more)/u.test(above), below: /^\s*(?:▼|↓ \d+ more)/u.test(below) },
      footer: footer.keys,
      danger: dangerOf(pack, head.text),
      rows: [head.first, Math.max(footer.rows?.[1] ?? group.last, group.last)],
    },
  }
}

function fromInline(prompt: InlinePrompt, rows: readonly MenuRow[], pack: Pack): MenuCandidate {
  const { group, question } = prompt
  const options = group.options.map(
    (option, index): MenuOption => ({
      index,
      ...(option.number !== null && { number: option.number }),
      label: option.label,
      selected: option.label === prompt.fallback,
      checked: null,
      ...meaningOf(option.label.replace(/^y$/iu, 'yes').replace(/^n$/iu, 'no'), null),
    }),
  )
  const spec = pack.menus.find(candidate => candidate.question?.test(question)) ?? null
  return {
    group,
    spec,
    footerRows: readFooter(rows, group.last).rows,
    isSoft: prompt.isSoft,
    rows,
    menu: {
      print: fingerprint(['input', question, ...options.map(option => option.label)]),
      kind: spec?.kind ?? 'input',
      origin: spec?.origin ?? 'agent',
      layout: group.layout === 'typed' ? 'typed' : 'inline',
      question,
      body: [],
      options,
      selected: options.find(option => option.selected)?.index ?? null,
      multi: false,
      tabs: [],
      text: prompt.hasText ? { option: null, value: '', placeholder: '', secret: prompt.isSecret } : null,
      more: { above: false, below: false },
      footer: [],
      danger: dangerOf(pack, question),
      rows: [group.first, group.last],
    },
  }
}

function specFor(pack: Pack, head: MenuHead, group: OptionGroup): MenuSpec | null {
  return (
    pack.menus.find(spec => {
      const hasQuestion = spec.question === null || head.text.split('\n').some(line => spec.question!.test(line))
      const hasTitle = spec.title === null || spec.title.test(head.title) || spec.title.test(head.text)
      const hasOption = spec.option === null || group.options.some(option => spec.option!.test(option.label))
      return hasQuestion && hasTitle && hasOption
    }) ?? null
  )
}

/** By words, and only to name it: whether it is live is never told by words. */
function guessKind(head: MenuHead, options: readonly MenuOption[]): MenuKind {
  const text = `${head.title} ${head.question}`
  if (/\btrust\b/iu.test(text)) return 'trust'
  if (/\b(?:sign in|log ?in|authenticat\w+)\b/iu.test(text)) return 'auth'
  if (/\bupdate\b.*\bavailable\b/iu.test(text)) return 'update'
  const hasAllow = options.some(option => option.meaning.startsWith('allow'))
  const hasDeny = options.some(option => option.meaning.startsWith('deny') || option.meaning === 'cancel')
  if (hasAllow && hasDeny) return 'permission'
  return 'question'
}

function dangerOf(pack: Pack, text: string): string[] {
  return [...new Set(pack.danger.filter(entry => entry.match.test(text)).flatMap(entry => entry.rule))]
}

/** The option one can write into: its label is a known placeholder, or the cursor stands inside its text. */
function textField(group: OptionGroup, options: readonly MenuOption[], frame: Frame): Menu['text'] {
  const byLabel = options.findIndex(option => PLACEHOLDER.test(option.label))
  const byCursor = group.options.findIndex(
    option => option.row === frame.cursor.y && frame.cursor.visible && frame.cursor.x > option.labelColumn,
  )
  const option = byCursor >= 0 ? byCursor : byLabel
  if (option < 0) return null
  const label = options[option]!.label
  const isPlaceholder = PLACEHOLDER.test(label)
  return { option, value: isPlaceholder ? '' : label, placeholder: isPlaceholder ? label : '', secret: false }
}
