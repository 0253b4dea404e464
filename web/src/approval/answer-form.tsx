import { useId, useState } from 'preact/hooks'
import { plainLabel } from '../../../src/text/visible-text'
import type { Approval, ApprovalOption } from '../api/types'
import { Revealed } from '../diff/styled-text'
import type { Decision } from '../store/actions'
import { answersTo, optionDetail } from './options'

interface AnswerFormProps {
  approval: Approval
  isBusy: boolean
  onAnswer(decision: Omit<Decision, 'whole'>): void
}

/** The answer to a question or a gate: options, a text, or both. */
export function AnswerForm(props: AnswerFormProps) {
  return isButtons(props.approval) ? <ButtonAnswers {...props} /> : <ChoiceAnswers {...props} />
}

/** As many answers as fit side by side. */
const BUTTONS_MAX = 3
const LABEL_MAX = 28

/** A question with a few plain answers has a button for each of them. */
function isButtons({ request }: Approval): boolean {
  const { options, questions, freeText } = request
  const isSingle = questions.length <= 1 && questions[0]?.multi !== true
  return (
    isSingle &&
    freeText === 'none' &&
    options.length > 0 &&
    options.length <= BUTTONS_MAX &&
    options.every(option => !isTextOption(option) && option.takes !== 'count') &&
    options.every(option => plainLabel(option.label).length <= LABEL_MAX) &&
    options.every(option => optionDetail(request, option) === null)
  )
}

function ButtonAnswers({ approval, isBusy, onAnswer }: AnswerFormProps) {
  const [chosen, setChosen] = useState<ApprovalOption | null>(null)
  const [text, setText] = useState('')
  const id = useId()
  const { deny } = answersTo(approval)
  const { options } = approval.request
  // The denial is on the left and the first other option, which graphs list first, on the right.
  const order = [...options.filter(option => option === deny), ...options.filter(option => option !== deny).reverse()]
  const choose = (option: ApprovalOption) => {
    if (option.takes === undefined) onAnswer({ option: option.key })
    else setChosen(chosen === option ? null : option)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const note = text.trim()
    if (chosen) onAnswer({ option: chosen.key, ...(note !== '' && { text: note }) })
  }
  return (
    <form class="card-form" onSubmit={submit}>
      {chosen && (
        <div class="field">
          <label for={`${id}-text`}>{TAKES[chosen.takes ?? 'text']}</label>
          <textarea
            id={`${id}-text`}
            class="input"
            rows={3}
            dir="auto"
            value={text}
            autofocus
            onInput={event => setText(event.currentTarget.value)}
          />
        </div>
      )}
      <div class="answer-buttons">
        {order.map((option, index) => {
          const isLast = index === order.length - 1
          const isField = option === chosen
          return (
            // Another button, or the press that opens the field would also submit it.
            <button
              key={`${option.key} ${isField}`}
              type={isField ? 'submit' : 'button'}
              class={`btn tall ${isField || (isLast && !chosen) ? 'solid' : ''}`}
              disabled={isBusy || (isField && option.takes !== 'note' && text.trim() === '')}
              title={option.danger ?? undefined}
              onClick={isField ? undefined : () => choose(option)}
            >
              {isField && 'Send: '}
              <Revealed text={plainLabel(option.label)} />
              {!isField && option.takes !== undefined && '…'}
            </button>
          )
        })}
        {chosen && (
          <button type="button" class="btn quiet tall" onClick={() => setChosen(null)}>
            Back
          </button>
        )}
      </div>
    </form>
  )
}

const OWN = ''

function ChoiceAnswers({ approval, isBusy, onAnswer }: AnswerFormProps) {
  const { request } = approval
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [text, setText] = useState('')
  const id = useId()
  const { deny } = answersTo(approval)
  const questions = request.questions.length > 0 ? request.questions : [{ text: '', multi: false }]
  const offered = request.options.filter(option => option !== deny || approval.kind !== 'permission')
  const takesText = request.freeText !== 'none' || offered.some(isTextOption)
  const needsText = request.freeText === 'required' || offered.every(isTextOption)
  const isOwn = chosen.has(OWN)
  const options = [...chosen].filter(key => key !== OWN)
  /** The chosen option takes a text, a reason or a number of its own. */
  const takes = options.length === 1 ? offered.find(({ key }) => key === options[0])?.takes : undefined

  const questionOf = (key: string) =>
    key === OWN ? questions.length - 1 : (offered.find(option => option.key === key)?.question ?? 0)
  const choose = (key: string, isOn: boolean) => {
    const at = questionOf(key)
    const next = new Set(questions[at]?.multi ? chosen : [...chosen].filter(other => questionOf(other) !== at))
    if (isOn) next.add(key)
    else next.delete(key)
    setChosen(next)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    onAnswer(decisionOf(approval, options, needsText || isOwn || takes ? text : ''))
  }
  /** The request above already shows the question. */
  const isShown = (asked: string) => asked === '' || asked === request.text || request.input === null
  const lacksText = (takes === 'text' || takes === 'reason') && text.trim() === ''
  const isReady = ((options.length > 0 && !lacksText) || ((needsText || isOwn) && text.trim() !== '')) && !isBusy

  return (
    <form class="card-form" onSubmit={submit}>
      {questions.map((question, index) => (
        <fieldset class="choices" key={`${index}-${question.text}`}>
          <legend class={isShown(question.text) ? 'sr' : 'small strong'} dir="auto">
            {question.text === '' ? 'Choose' : <Revealed text={question.text} />}
          </legend>
          {offered
            .filter(option => (option.question ?? 0) === index && !isTextOption(option))
            .map(option => (
              <Choice
                key={option.key}
                isMulti={question.multi}
                group={`${id}-${index}`}
                isOn={chosen.has(option.key)}
                onChange={isOn => choose(option.key, isOn)}
                label={plainLabel(option.label)}
                detail={[optionDetail(request, option), option.danger].filter(Boolean).join(' · ')}
              />
            ))}
          {takesText && !needsText && index === questions.length - 1 && (
            <Choice
              isMulti={question.multi}
              group={`${id}-${index}`}
              isOn={isOwn}
              onChange={isOn => choose(OWN, isOn)}
              label="Write your own answer"
              detail=""
            />
          )}
        </fieldset>
      ))}
      {((takesText && (needsText || isOwn)) || takes) && (
        <div class="field">
          <label for={`${id}-text`}>{takes ? TAKES[takes] : 'Your answer'}</label>
          <textarea
            id={`${id}-text`}
            class="input"
            rows={takes === 'count' ? 1 : 3}
            dir="auto"
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

function Choice(props: {
  isMulti: boolean
  group: string
  isOn: boolean
  onChange(isOn: boolean): void
  label: string
  detail: string
}) {
  return (
    <label class="choice">
      <input
        type={props.isMulti ? 'checkbox' : 'radio'}
        name={props.group}
        checked={props.isOn}
        onChange={event => props.onChange(event.currentTarget.checked)}
      />
      <span dir="auto">
        <Revealed text={props.label} />
        {props.detail !== '' && (
          <span class="choice-detail tiny dim" dir="auto">
            <Revealed text={props.detail} />
          </span>
        )}
      </span>
    </label>
  )
}

const TAKES = {
  text: 'Your text',
  reason: 'What should change?',
  count: 'How many (optional)',
  note: 'What should change? (optional)',
} as const

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
