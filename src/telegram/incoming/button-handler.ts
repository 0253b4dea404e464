import { contentText, decisionWords, requestContent } from '../../approvals/index.js'
import { findRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { ButtonToken } from '../../host/index.js'
import type { Person } from '../../people/index.js'
import { cancelRun, pauseRun } from '../../runs/index.js'
import type { StreamAppend } from '../../store/index.js'
import { plural } from '../../text/index.js'
import { interruptText, screenText } from '../cards/session-texts.js'
import { sessionTitle } from '../cards/session-title.js'
import { type CommandServices, personName, type Requester, refusalText, requireRole } from '../command-services.js'
import { showRunCard } from '../commands/run-commands.js'
import { askToStop, showSession, stopAndReport } from '../commands/session-commands.js'
import type { StartWizard } from '../commands/start-wizard.js'
import { escapeHtml, PART_UNITS } from '../outgoing/split.js'
import type { ButtonAction } from './button-action.js'
import { decideFromChat, denyWithReason } from './decide-from-chat.js'
import type { FileTransfers } from './file-transfers.js'
import type { IncomingText } from './incoming-text.js'
import { pressKey } from './key-pad.js'
import type { Intent } from './parse-update.js'

type ButtonIntent = Extract<Intent, { kind: 'press' }>

interface ButtonHandlerOptions {
  services: CommandServices
  texts: IncomingText
  wizard: StartWizard
  files: FileTransfers
  /** Records a press that the person has no right to. */
  onRefused(intent: ButtonIntent, update: number, reason: string): Promise<void>
  onError(error: unknown): void
}

/** Telegram wants an answer to a press within two seconds; a later result is sent as a message. */
const ANSWER_MS = 1500
/** The card itself shows the result of these actions. */
const SHOWN_ON_CARD: ReadonlySet<string> = new Set(['decide', 'deny-with'])

/**
 * Handles button presses. Everything comes from the token in the store; the message with the button
 * is not needed.
 */
export class ButtonHandler {
  readonly #options: ButtonHandlerOptions

  constructor(options: ButtonHandlerOptions) {
    this.#options = options
  }

  /** Answers every press. @returns the result, for the log. */
  async handle(
    intent: ButtonIntent,
    person: Person,
    { update, isRetry }: { update: number; isRetry: boolean },
  ): Promise<string> {
    const { services, onRefused } = this.#options
    const { tokens, outbox, chats } = services
    let sendLate: ((text: string) => Promise<void>) | null = null
    let isAnswered = false
    let action: ButtonAction | null = null
    const answer = async (text: string, isAlert: boolean) => {
      if (!isAnswered) {
        isAnswered = true
        await outbox.toast(intent.query, text, isAlert)
      } else if (text !== '' && (isAlert || !SHOWN_ON_CARD.has(action?.do ?? ''))) await sendLate?.(text)
      return text
    }
    const refuse = async (text: string) => {
      await onRefused(intent, update, text)
      return answer(text, true)
    }
    const token = await tokens.find(intent.data)
    if (!token) return refuse('Unknown button.')
    action = token.act as unknown as ButtonAction
    if (token.people.includes(intent.from.id)) await this.#learnCopy(intent, token)
    if (token.used)
      return token.used.update === update
        ? answer(token.used.result, false)
        : refuse(await this.#afterUse(action, person))
    if (!token.people.includes(intent.from.id) || person.role === 'viewer')
      return refuse('You have read access only: you cannot decide here.')
    if (tokens.isExpired(token)) return refuse('This button has expired. See the newest message.')
    const recipient = await chats.recipient(token.chat)
    if (!recipient) return refuse('This chat is no longer paired.')
    const to: Requester = { person, from: intent.from.id, chat: token.chat, recipient, update, isRetry }
    sendLate = text => services.reply(to, escapeHtml(text))
    const timer = services.clock.setTimer(ANSWER_MS, () => {
      if (!isAnswered) void answer('One moment…', false)
    })
    try {
      const result = await this.#perform(action, to, intent.data)
      if (endsChoice(action)) await this.#removeKeyboard(intent, token)
      return await answer(result, false)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      return await refuse(
        error.code === 'E_TOKEN_USED' || error.code === 'E_APPROVAL_DECIDED'
          ? await this.#afterUse(action, person)
          : refusalText(error),
      )
    } finally {
      timer.cancel()
    }
  }

  /** The choice was made: the other buttons of the message would do nothing, or the same again. */
  async #removeKeyboard({ message, chat }: ButtonIntent, token: ButtonToken): Promise<void> {
    if (message === null || chat !== token.chat) return
    const act = { do: 'remove-keyboard', message } as const
    await this.#options.services.outbox.enqueue([{ chat, lane: 2, subject: `keyboard/${message}`, act }])
  }

  /**
   * A card that was sent twice, because the first was not confirmed, has a second message: it is
   * remembered, and closed with its request.
   */
  async #learnCopy(intent: ButtonIntent, token: ButtonToken): Promise<void> {
    const { chats, host, cards, outbox } = this.#options.services
    if (intent.message === null || intent.chat !== token.chat || !/^apr_[^/]+$/.test(token.subject)) return
    const record = await host.ledger.newestVersion(token.subject)
    const subject = record ? await cards.subjectOf(record) : token.subject
    if (!(await chats.remember(token.chat, subject, intent.message))) return
    const recipient = await chats.recipient(token.chat)
    if (!record || !recipient || record.state === 'pending') return
    const { items, appends } = await cards.approval(record, recipient)
    await outbox.enqueue(items, appends)
  }

  async #perform(action: ButtonAction, to: Requester, data: string): Promise<string> {
    const { services, texts, wizard, files } = this.#options
    const { host, cards, outbox, tokens } = services
    const use = (result: string) => tokens.use(data, { by: to.from, update: to.update, result })
    /** Uses the button up first: of two presses at the same time, one takes effect. */
    const once = async (result: string) => {
      await outbox.enqueue([], [await use(result)])
      return result
    }
    switch (action.do) {
      case 'decide': {
        const record = await host.ledger.find(action.approval)
        const { do: _, approval, ...answer } = action
        const result = decisionWords(record, answer)
        await decideFromChat(services, approval, answer, to, async () => [await use(result)])
        return result
      }
      case 'deny-with': {
        const { approval, fingerprint, text } = action
        return denyWithReason(services, { approval, fingerprint, reason: text }, to, async () => [
          await use('Denied, with your reason'),
        ])
      }
      case 'keys':
      case 'tick': {
        const record = await host.ledger.find(action.approval)
        const state =
          action.do === 'keys'
            ? { view: action.view, isSeen: action.isSeen === true }
            : { ticked: action.ticked, page: action.page }
        const made = await cards.approval(record, to.recipient, state)
        await outbox.enqueue(made.items, [...made.appends, await use('')])
        return ''
      }
      case 'see-all':
        return this.#seeAll(action.approval, to, await use('The whole request is below.'))
      case 'ask-reason': {
        const { fingerprint } = await host.ledger.find(action.approval)
        await texts.askReason(action.approval, fingerprint, to)
        return once('Reply with the reason.')
      }
      case 'ask-answer': {
        const { fingerprint } = await host.ledger.find(action.approval)
        await texts.askAnswer(action.approval, fingerprint, to)
        return once('Reply with the answer.')
      }
      case 'show-run':
        await showRunCard(services, to, action.run)
        return ''
      case 'show-session':
        await showSession(services, to, await host.record(action.session))
        return ''
      case 'new-topic': {
        const record = await host.record(action.session)
        await once('Creating a topic…')
        await services.topics.create(to.chat, record.id)
        await services.reply(to, `<b>${escapeHtml(sessionTitle(record))}</b>\ncontinues here.`, { about: record.id })
        return ''
      }
      case 'current': {
        const record = await host.record(action.session)
        await services.makeCurrent(to.chat, record.id)
        return once(`Your messages now go to #${record.number}.`)
      }
      case 'stop': {
        const record = await host.record(action.session)
        const result = await once(action.isSure ? 'Stopping…' : 'Stop it?')
        await (action.isSure ? stopAndReport : askToStop)(services, to, record)
        return result
      }
      case 'interrupt':
        await once('Interrupting…')
        return interruptText(await (await services.requireLive(await host.record(action.session))).interrupt())
      case 'keypress':
        // The buttons of a key pad are not used up. A key that may have been pressed is not pressed
        // again.
        if (to.isRetry) return 'This key may have been pressed already.'
        await pressKey(await services.requireLive(await host.record(action.session)), action.key)
        return action.key
      case 'wizard':
        await once('One moment…')
        await wizard.next(action.form, action.page, to)
        return ''
      case 'send-text':
        await once('Sending…')
        return texts.send(await host.record(action.session), action.text, to, action.when)
      case 'drop-prompt': {
        const live = await services.requireLive(await host.record(action.session))
        return once((await live.dropPrompt(action.prompt)) ? 'Removed.' : 'It was sent already.')
      }
      case 'discard':
        return once('Discarded.')
      case 'run': {
        const run = await findRun(host.store, action.run)
        await once({ cancel: 'Cancelling…', pause: 'Pausing…', resume: 'Resuming…' }[action.act])
        const by = to.person.name
        if (action.act === 'cancel') await cancelRun(host, run.id, { by, reason: 'cancelled' })
        else if (action.act === 'pause') await pauseRun(host, run.id, { by, reason: 'paused by a person' })
        else if (services.ports.resumeRun) await services.ports.resumeRun(run, by)
        else throw new SignalboxError('E_STATE', 'runs cannot be resumed here')
        return { cancel: 'Cancelled.', pause: 'Paused.', resume: 'Resumed.' }[action.act]
      }
      case 'resume-session': {
        await once('Resuming…')
        const options = { terminal: null, size: null, person: personName(to.person) }
        const resumed = await host.resumeSession(await host.record(action.session), options)
        await services.makeCurrent(to.chat, resumed.id)
        await services.reply(to, `<b>${escapeHtml(sessionTitle(resumed))}</b>\nresumed.`, { about: resumed.id })
        return ''
      }
      case 'download': {
        const isOutside = action.isOutside === true
        return files.sendFile(await host.record(action.session), action.path, to, { isOutside })
      }
      case 'screen-file': {
        const record = await host.record(action.session)
        await services.replyFile(to, {
          name: `screen-${record.number}.txt`,
          text: await screenText(await services.requireLive(record)),
          caption: sessionTitle(record),
        })
        return ''
      }
      case 'update-agent': {
        requireRole(to.person, 'owner')
        const { updateAgent } = services.ports
        if (!updateAgent) throw new SignalboxError('E_STATE', 'Agents cannot be updated from a chat.')
        await once('Updating…')
        // This may take minutes: the result is sent as a message.
        void updateAgent(action.agent)
          .catch(refusalText)
          .then(result => services.reply(to, escapeHtml(result)))
          .catch(this.#options.onError)
        return 'Updating…'
      }
      case 'lockdown': {
        requireRole(to.person, 'owner')
        await once('Locked down.')
        const { grants } = (await services.ports.lockdown?.begin(to.person)) ?? { grants: 0 }
        await services.reply(
          to,
          `Locked down: ${plural(grants, 'standing approval')} ended, all browsers are logged out, only denials are accepted.`,
        )
        return ''
      }
    }
  }

  /** Sends the whole request as a message of its own, with buttons that know that it was shown. */
  async #seeAll(approval: string, to: Requester, used: StreamAppend): Promise<string> {
    const { services } = this.#options
    const { host, cards, outbox } = services
    const record = await host.ledger.find(approval)
    const text = contentText(requestContent(record)).trim()
    const { id, name, role } = to.person
    const seen = { displayHash: record.display.hash, whole: !record.display.isCut }
    if (escapeHtml(text).length > PART_UNITS)
      await services.replyFile(to, {
        name: record.kind === 'plan' ? 'plan.md' : `${approval}.txt`,
        text,
        caption: record.kind === 'plan' ? 'The whole plan' : 'The whole request',
      })
    else await services.reply(to, `<pre>${escapeHtml(text)}</pre>`, { about: approval })
    await host.ledger.seen(approval, { ...seen, actor: { kind: 'person', id, name, role }, surface: 'telegram' })
    const made = await cards.approval(record, to.recipient, { isSeen: true }, { isBelow: true })
    await outbox.enqueue(made.items, [...made.appends, used])
    return ''
  }

  /** Why a press no longer has an effect: who decided first. */
  async #afterUse(action: ButtonAction, person: Person): Promise<string> {
    if (!('approval' in action)) return 'This button has been used.'
    const record = await this.#options.services.host.ledger.get(action.approval)
    const by = record?.decision?.actor
    if (by) return by.id === person.id ? 'You have decided this already.' : `${by.name} decided first.`
    return record?.state === 'pending' ? 'This button has been used.' : 'This request is closed.'
  }
}

/** Messages that only ask for a choice. Lists and cards keep their other buttons. */
function endsChoice(action: ButtonAction): boolean {
  switch (action.do) {
    case 'wizard':
    case 'send-text':
    case 'discard':
    case 'deny-with':
    case 'drop-prompt':
    case 'update-agent':
    case 'lockdown':
      return true
    case 'stop':
      return action.isSure
    case 'download':
      return action.isOutside === true
    default:
      return false
  }
}
