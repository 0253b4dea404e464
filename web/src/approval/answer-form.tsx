import { useId, useState } from 'preact/hooks'
import type { Approval, ApprovalOption } from '../api/types'
import type { Decision } from '../store/actions'
import { answersTo, plainLabel } from './options'

interface AnswerFormProps {
  approval: Approval
  isBusy: boolean
  onAnswer(decision: Omit<Decision, 'whole'>): void
}

/** The answer to a question or a gate: options, a text, or both. */
export function AnswerForm({ approval, isBusy, onAnswer }: AnswerFormProps) {
  const { request } = approval
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [text, setText] = useState('')
  const [isOwn, setOwn] = useState(false)
  const id = useId()
  const { deny } = answersTo(approval)
  const questions = request.questions.length > 0 ? request.questions : [{ text: '', multi: false }]
  const offered = request.options.filter(option => option !== deny || approval.kind !== 'permission')
  const takesText = request.freeText !== 'none' || offered.some(isTextOption)

  const needsText = request.freeText === 'required' || offered.every(isTextOption)
  /** The chosen option takes a text, a reason or a number of its own. */
  const takes = chosen.size === 1 ? offered.find(({ key }) => chosen.has(key))?.takes : undefined

  const choose = (option: ApprovalOption, isOn: boolean) => {
    const isMulti = questions[option.question ?? 0]?.multi ?? false
    const next = new Set(isMulti ? chosen : [...chosen].filter(key => questionOf(key) !== (option.question ?? 0)))
    if (isOn) next.add(option.key)
    else next.delete(option.key)
    setChosen(next)
  }
  const questionOf = (key: string) => offered.find(option => option.key === key)?.question ?? 0
  const submit = (event: Event) => {
    event.preventDefault()
    onAnswer(decisionOf(approval, [...chosen], needsText || isOwn || takes ? text : ''))
  }
  /** The title or the request above already shows the question. */
  const isShown = (asked: string) => asked === '' || asked === request.text || approval.display.title.endsWith(asked)
  const lacksText = (takes === 'text' || takes === 'reason') && text.trim() === ''
  const isReady = ((chosen.size > 0 && !lacksText) || ((needsText || isOwn) && text.trim() !== '')) && !isBusy

  return (
    <form class="card-form" onSubmit={submit}>
      {questions.map((question, index) => (
        <fieldset class="choices" key={`${index}-${question.text}`}>
          <legend class={isShown(question.text) ? 'sr' : 'small strong'} style={{ paddingBottom: '6px' }}>
            {question.text === '' ? 'Choose' : question.text}
          </legend>
          {offered
            .filter(option => (option.question ?? 0) === index && !isTextOption(option))
            .map(option => (
              <label class="choice" key={option.key}>
                <input
                  type={question.multi ? 'checkbox' : 'radio'}
                  name={`${id}-${index}`}
                  checked={chosen.has(option.key)}
                  onChange={event => choose(option, event.currentTarget.checked)}
                />
                <span>
                  {plainLabel(option.label)}
                  {option.danger && <span class="tiny dim"> · {option.danger}</span>}
                </span>
              </label>
            ))}
          {takesText && !needsText && index === questions.length - 1 && (
            <label class="choice">
              <input type="checkbox" checked={isOwn} onChange={event => setOwn(event.currentTarget.checked)} />
              <span>Write your own answer</span>
            </label>
          )}
        </fieldset>
      ))}
      {takesText && (needsText || isOwn) && (
        <div class="field">
          <label for={`${id}-text`}>Your answer</label>
          <textarea
            id={`${id}-text`}
            class="input"
            rows={3}
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        </div>
      )}
      {takes && (
        <div class="field">
          <label for={`${id}-takes`}>{TAKES[takes]}</label>
          <textarea
            id={`${id}-takes`}
            class="input"
            rows={takes === 'count' ? 1 : 3}
            value={text}
            onInput={event => setText(event.currentTarget.value)}
          />
        </div>
      )}
      <div class="row card-submit">
        <button type="submit" class="btn solid tall" disabled={!isReady}>
          Answer
        </button>
      </div>
    </form>
  )
}

const TAKES = { text: 'Your text', reason: 'The reason', count: 'How many (optional)' } as const

/** A text without an option answers it; an option with a text of its own is chosen like others. */
function isTextOption({ meaning, takes }: ApprovalOption): boolean {
  return meaning === 'text' && takes === undefined
}

/**
 * An option that allows, denies or continues is chosen alone; choices of questions are sent
 * together.
 */
function decisionOf(approval: Approval, keys: string[], text: string): Omit<Decision, 'whole'> {
  const { request } = approval
  const written = text.trim() === '' ? {} : { text: text.trim() }
  const first = request.options.find(option => option.key === keys[0])
  const isChoice = keys.length > 0 && keys.every(key => request.options.find(o => o.key === key)?.meaning === 'choice')
  if (keys.length === 0) return written
  const isList = request.questions[0]?.multi || (request.questions.length > 0 && approval.kind === 'question')
  return isChoice && isList ? { choices: keys, ...written } : { option: first!.key, ...written }
}
