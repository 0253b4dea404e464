import { graphemes } from '../../text/index.js'
import type { Key } from '../tui/input-decoder.js'
import {
  cancelledAnswer,
  currentPage,
  focusedText,
  isSubmitPage,
  isTextEntry,
  type MenuAnswer,
  type MenuState,
  type PageState,
  pageAnswer,
} from './menu-state.js'

export interface MenuStep {
  state: MenuState
  answer: MenuAnswer | null
}

/** Applies one key to a menu. Pure: the caller draws the new state or uses the answer. */
export function pressMenuKey(state: MenuState, key: Key): MenuStep {
  if (key.name === 'escape' || (key.ctrl && key.name === 'c')) return { state, answer: cancelledAnswer(state) }
  if (isTextEntry(state.layout)) return typeInto(state, key)
  const page = currentPage(state)
  if (focusedText(page) && (key.name === 'text' || key.name === 'paste' || key.name === 'backspace'))
    return stay(editText(state, key))
  const back = state.layout === 'horizontal' ? ['left', 'backtab', 'up'] : ['up']
  const forth = state.layout === 'horizontal' ? ['right', 'tab', 'down'] : ['down']
  if (back.includes(key.name)) return stay(moveTo(state, page.cursor - 1))
  if (forth.includes(key.name)) return stay(moveTo(state, page.cursor + 1))
  if (key.name === 'home') return stay(moveTo(state, 0))
  if (key.name === 'end') return stay(moveTo(state, page.options.length - 1))
  if (state.layout === 'tabs' && ['right', 'tab'].includes(key.name)) return stay(turnPage(state, 1))
  if (state.layout === 'tabs' && ['left', 'backtab'].includes(key.name)) return stay(turnPage(state, -1))
  if (key.name === 'text' && key.text === ' ' && page.multi) return stay(toggle(state, page.cursor))
  if (key.name === 'text' && /^[1-9]$/.test(key.text)) return pressDigit(state, Number(key.text) - 1)
  if (key.name === 'enter') return confirm(state)
  return stay(state)
}

function stay(state: MenuState): MenuStep {
  return { state, answer: null }
}

function withPage(state: MenuState, change: Partial<PageState>): MenuState {
  return { ...state, pages: state.pages.map((page, index) => (index === state.page ? { ...page, ...change } : page)) }
}

function moveTo(state: MenuState, wanted: number): MenuState {
  const count = currentPage(state).options.length
  return count === 0 ? state : withPage(state, { cursor: (wanted + count) % count })
}

function turnPage(state: MenuState, by: 1 | -1): MenuState {
  return { ...state, page: Math.min(state.pages.length - 1, Math.max(0, state.page + by)) }
}

function toggle(state: MenuState, index: number): MenuState {
  const page = currentPage(state)
  return withPage(state, {
    cursor: index,
    checked: page.checked.map((isChecked, at) => (at === index ? !isChecked : isChecked)),
  })
}

/** A digit chooses and confirms; in a multiple choice it toggles; a text option is focused. */
function pressDigit(state: MenuState, index: number): MenuStep {
  const page = currentPage(state)
  if (state.layout === 'plain' || state.layout === 'horizontal' || index >= page.options.length) return stay(state)
  if (page.multi) return stay(toggle(state, index))
  const moved = moveTo(state, index)
  return focusedText(currentPage(moved)) ? stay(moved) : confirm(moved)
}

function editText(state: MenuState, key: Key): MenuState {
  const page = currentPage(state)
  const text =
    key.name === 'backspace'
      ? [...graphemes(page.text)].slice(0, -1).join('')
      : page.text + key.text.replaceAll(/\s+/g, ' ')
  const checked = page.checked.map((isChecked, index) => (index === page.cursor ? text !== '' : isChecked))
  return withPage(state, { text, checked })
}

function confirm(state: MenuState): MenuStep {
  const page = currentPage(state)
  const option = page.options[page.cursor]
  if (isSubmitPage(state)) {
    if (option?.meaning === 'cancel') return { state, answer: cancelledAnswer(state) }
    return {
      state,
      answer: { isCancelled: false, answers: state.pages.slice(0, -1).map(pageAnswer), meaning: 'choice' },
    }
  }
  if (!page.multi && option?.meaning === 'text' && page.text.trim() === '') return stay(state)
  if (page.multi && !page.checked.some(Boolean)) return stay(state)
  if (state.layout === 'tabs') return stay(turnPage(withPage(state, { isAnswered: true }), 1))
  const meaning = page.multi ? 'choice' : (option?.meaning ?? 'choice')
  return { state, answer: { isCancelled: false, answers: [pageAnswer(page)], meaning } }
}

function typeInto(state: MenuState, key: Key): MenuStep {
  if (key.name === 'text' || key.name === 'paste')
    return stay({ ...state, typed: state.typed + key.text.replaceAll(/[\r\n]/g, '') })
  if (key.name === 'backspace') return stay({ ...state, typed: [...graphemes(state.typed)].slice(0, -1).join('') })
  if (key.name !== 'enter') return stay(state)
  const { question, options, cursor } = currentPage(state)
  if (state.layout === 'password')
    return {
      state,
      answer: { isCancelled: false, answers: [{ question, labels: [], text: state.typed }], meaning: 'text' },
    }
  const typed = state.typed.trim().toLowerCase()
  const index =
    state.layout === 'typed'
      ? /^\d+$/.test(typed)
        ? Number(typed) - 1
        : -1
      : typed === ''
        ? cursor
        : options.findIndex(option => option.label.toLowerCase().startsWith(typed))
  const option = options[index]
  if (!option) return stay({ ...state, typed: '' })
  return {
    state,
    answer: {
      isCancelled: false,
      answers: [{ question, labels: [option.label], text: '' }],
      meaning: option.meaning ?? 'choice',
    },
  }
}
