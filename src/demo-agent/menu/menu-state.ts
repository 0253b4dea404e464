import type { Layout, Meaning, MenuOption, MenuSpec } from '../scenario/types.js'

export interface PageState {
  label: string
  question: string
  options: MenuOption[]
  multi: boolean
  cursor: number
  checked: boolean[]
  text: string
  isAnswered: boolean
}

export interface MenuState {
  spec: MenuSpec
  layout: Layout
  pages: PageState[]
  /** `pages.length` is the submit page of a menu with tabs. */
  page: number
  /** The typed characters of an inline, password or number prompt. */
  typed: string
}

export interface MenuAnswer {
  isCancelled: boolean
  answers: { question: string; labels: string[]; text: string }[]
  meaning: Meaning | null
  /** Who answered, if it was not the person at this terminal. */
  by?: string
  /** The input to use instead of the one that was asked about. */
  updatedInput?: Record<string, unknown>
}

const SUBMIT_OPTIONS: MenuOption[] = [{ label: 'Submit answers' }, { label: 'Cancel', meaning: 'cancel' }]

/** A new menu: nothing typed, the scenario's option selected. */
export function openMenu(spec: MenuSpec): MenuState {
  const layout = spec.layout ?? (spec.pages ? 'tabs' : 'numbered')
  const pages = spec.pages ?? [
    { label: spec.title ?? '', question: spec.question, options: spec.options ?? [], multi: spec.multi ?? false },
  ]
  const states = pages.map<PageState>(page => {
    const options = [...page.options]
    if (spec.freeText && !spec.pages)
      options.push({ label: spec.freeText, placeholder: spec.freeText, meaning: 'text' })
    return {
      label: page.label,
      question: page.question,
      options,
      multi: page.multi ?? false,
      cursor: Math.min(spec.selected ?? 0, Math.max(0, options.length - 1)),
      checked: options.map(() => false),
      text: '',
      isAnswered: false,
    }
  })
  if (layout === 'tabs')
    states.push({
      label: 'Submit',
      question: 'Ready to submit your answers?',
      options: SUBMIT_OPTIONS,
      multi: false,
      cursor: 0,
      checked: [],
      text: '',
      isAnswered: false,
    })
  return { spec, layout, pages: states, page: 0, typed: '' }
}

export function currentPage(state: MenuState): PageState {
  return state.pages[state.page]!
}

export function isSubmitPage(state: MenuState): boolean {
  return state.layout === 'tabs' && state.page === state.pages.length - 1
}

export function focusedText(page: PageState): MenuOption | null {
  const option = page.options[page.cursor]
  return option?.placeholder !== undefined ? option : null
}

export function isTextEntry(layout: Layout): boolean {
  return layout === 'inline' || layout === 'password' || layout === 'typed'
}

export function cancelledAnswer(state: MenuState): MenuAnswer {
  const meaning = state.spec.kind === 'permission' ? 'deny' : 'cancel'
  return { isCancelled: true, answers: [], meaning }
}

export function pageAnswer(page: PageState): MenuAnswer['answers'][number] {
  const picked = page.multi ? page.options.filter((_, index) => page.checked[index]) : [page.options[page.cursor]!]
  const labels = picked.map(option => (option.placeholder !== undefined && page.text !== '' ? page.text : option.label))
  return { question: page.question, labels, text: page.text }
}
