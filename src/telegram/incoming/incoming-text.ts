import { delay, newNonce } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { SendResult, SessionPort, SessionRecord } from '../../sessions/index.js'
import { sessionTitle } from '../cards/session-title.js'
import { type CommandServices, type Requester, requireRole } from '../command-services.js'
import type { StartWizard } from '../commands/start-wizard.js'
import { escapeHtml } from '../outgoing/split.js'
import { decideFromChat, denyWithReason } from './decide-from-chat.js'
import { checkReason } from './deciding-word.js'
import { questionOfSubject, questionSubject } from './reply-question.js'

/** A text that waited longer than this for the bot needs a confirmation. */
const CONFIRM_AFTER_MS = 10 * 60_000
/** Shorter than the update handler's limit: a slow agent does not block the chat. */
const SEND_TIMEOUT_MS = 25_000
const UNKNOWN_AUTHOR = 'an unknown author'

/** A forwarded text as the agent gets it: it names the author. */
export function forwardedText(text: string, origin: string): string {
  return `Forwarded from ${origin}:\n${text}`
}

/** A person's text: an answer to what it replies to, else a prompt for a session. */
export class IncomingText {
  readonly #services: CommandServices
  readonly #wizard: StartWizard

  constructor(services: CommandServices, wizard: StartWizard) {
    this.#services = services
    this.#wizard = wizard
  }

  async handle(
    text: string,
    to: Requester,
    about: { at: number; isForwarded: boolean; origin?: string },
  ): Promise<string> {
    requireRole(to.person, 'approver')
    const { chats, clock } = this.#services
    const subject = to.replyTo === undefined ? null : await chats.subjectOf(to.chat, to.replyTo)
    // A forwarded text never answers a request.
    if (!about.isForwarded) {
      const answered = await this.#answer(subject, text, to)
      if (answered !== null) return answered
    }
    const record = await this.#services.requireSession(to)
    if (about.isForwarded) {
      const origin = about.origin ?? UNKNOWN_AUTHOR
      const why = `Forwarded from ${origin}: not sent automatically.`
      return this.#confirm(record, forwardedText(text, origin), to, why)
    }
    if (clock.now() - about.at > CONFIRM_AFTER_MS)
      return this.#confirm(record, text, to, 'This message waited while Signalbox was not running.')
    if (to.isRetry)
      return this.#confirm(record, text, to, 'Signalbox was restarted; it is unknown whether this was sent.')
    return this.send(record, text, to, 'queue')
  }

  /** Types the text into the session, and reports the result unless it was delivered. */
  async send(record: SessionRecord, text: string, to: Requester, when: 'queue' | 'hold'): Promise<string> {
    const { chats, clock } = this.#services
    const live = await this.#services.requireLive(record)
    await chats.change(to.chat, { follows: [...new Set([...((await chats.get(to.chat)).follows ?? []), record.id])] })
    if (live.approval?.state === 'pending' && when !== 'hold') return this.#refuseForApproval(record, live, text, to)
    const sending = live.send(text, { whenBusy: when, meaning: 'auto' })
    const timeout = delay(clock, SEND_TIMEOUT_MS).then(() => null)
    const result = await Promise.race([sending, timeout])
    if (result) return this.#report(record, live, result, text, to)
    void sending.then(late => this.#report(record, live, late, text, to)).catch(() => undefined)
    return 'still being sent'
  }

  /** A person edited their message: a prompt that is still held is replaced. */
  async edited(text: string, to: Requester): Promise<string> {
    if (to.message === undefined) return 'nothing to change'
    const held = /^held\.([^.]+)\.(.+)$/.exec((await this.#services.chats.subjectOf(to.chat, to.message)) ?? '')
    const live = held && (await this.#services.host.whenLive(held[1]!))
    if (!held || !(await live?.dropPrompt(held[2]!))) {
      await this.#services.reply(to, 'The message was sent before you edited it; the edit has no effect.', {
        isReply: true,
      })
      return 'sent already'
    }
    return this.send(await this.#services.host.record(held[1]!), text, to, 'hold')
  }

  /** Asks for an answer as text, by a reply to the question. */
  async askAnswer(approval: string, fingerprint: string, to: Requester): Promise<void> {
    await this.#services.reply(to, 'Reply to this message with your answer.', {
      about: questionSubject({ for: 'answer', approval, fingerprint, nonce: newNonce() }),
      forceReply: true,
    })
  }

  /** Asks for the reason of a denial, by a reply to the question. */
  async askReason(approval: string, fingerprint: string, to: Requester): Promise<void> {
    await this.#services.reply(to, 'Why not? Reply to this message with the reason.', {
      about: questionSubject({ for: 'reason', approval, fingerprint, nonce: newNonce() }),
      forceReply: true,
    })
  }

  /** A reply to a card, or to a question of the bot; null when it is neither. */
  async #answer(subject: string | null, text: string, to: Requester): Promise<string | null> {
    const question = questionOfSubject(subject)
    if (question?.for === 'run') {
      const { kind, project, agent } = question
      await this.#wizard.next({ kind, project, text, ...(agent !== undefined && { agent }) }, 0, to)
      return `${kind} requested`
    }
    const { ledger } = this.#services.host
    const shown = /^(apr_[^/]+)/.exec(subject ?? '')?.[1]
    const named = question?.approval ?? shown
    if (named === undefined) return null
    // A card shows the newest version of its request; a question was about one fingerprint.
    const record = (question ? null : await ledger.newestVersion(named)) ?? (await ledger.find(named))
    if (record.state !== 'pending') throw new SignalboxError('E_STATE', 'That request is closed: nothing was decided.')
    const fingerprint = question?.fingerprint ?? record.fingerprint
    // A text in reply to a plan is the reason to reject it.
    const isFeedback =
      record.kind === 'plan' && record.request.options.some(({ meaning }) => meaning === 'deny-with-text')
    if (question?.for !== 'reason' && record.kind !== 'permission' && !isFeedback) {
      await decideFromChat(this.#services, record.id, { fingerprint, text, isWhole: true }, to)
      return 'answered'
    }
    // The bot asked for the reason, or the text is one by itself.
    if (!question) checkReason(record, text)
    return denyWithReason(this.#services, { approval: record.id, fingerprint, reason: text }, to)
  }

  async #confirm(record: SessionRecord, text: string, to: Requester, why: string): Promise<string> {
    const session = record.id
    await this.#services.reply(to, `${escapeHtml(why)}\nSend it to <b>${escapeHtml(sessionTitle(record))}</b>?`, {
      about: session,
      isReply: true,
      buttons: [
        [{ text: 'Send now', action: { do: 'send-text', session, text, when: 'queue' } }],
        [{ text: 'Discard', action: { do: 'discard' } }],
      ],
    })
    return 'asked whether to send it'
  }

  async #refuseForApproval(record: SessionRecord, live: SessionPort, text: string, to: Requester): Promise<string> {
    const { id: approval, fingerprint } = live.approval!
    const session = record.id
    await this.#services.reply(
      to,
      `Not sent: <b>${escapeHtml(sessionTitle(record))}</b> waits for a decision. Answer the open request first.`,
      {
        about: session,
        isReply: true,
        buttons: [
          [
            {
              text: 'Use as reason to deny',
              action: { do: 'deny-with', approval, fingerprint, text },
              style: 'danger',
            },
          ],
          [{ text: 'Send when idle', action: { do: 'send-text', session, text, when: 'hold' } }],
          [{ text: 'Discard', action: { do: 'discard' } }],
        ],
      },
    )
    return 'refused: a request is open'
  }

  async #report(
    record: SessionRecord,
    live: SessionPort,
    sent: SendResult,
    text: string,
    to: Requester,
  ): Promise<string> {
    const session = record.id
    const about = { about: session, isReply: true }
    switch (sent.result) {
      case 'delivered':
        return 'delivered'
      case 'queued':
        await this.#services.reply(to, 'Queued in the agent: it reads this after its current turn.', about)
        return 'queued in the agent'
      case 'held': {
        if (to.message !== undefined)
          await this.#services.chats.remember(to.chat, `held.${session}.${sent.prompt}`, to.message)
        const why = sent.detail === undefined ? 'Held until the agent is idle.' : `Held. ${escapeHtml(sent.detail)}`
        await this.#services.reply(to, sent.detail === undefined ? why : `${why}\nTo raise it: /budget 10`, {
          ...about,
          buttons: [
            ...(sent.detail === undefined
              ? [[{ text: 'Send now (interrupts)', action: { do: 'interrupt', session } } as const]]
              : []),
            [{ text: 'Remove', action: { do: 'drop-prompt', session, prompt: sent.prompt } }],
          ],
        })
        return 'held'
      }
      case 'refused':
        if (sent.reason === 'menu' && live.approval?.state === 'pending')
          return this.#refuseForApproval(record, live, text, to)
        break
      default:
    }
    await this.#services.reply(to, `Not delivered: ${escapeHtml(sent.detail)}`, {
      ...about,
      buttons: [
        [{ text: 'Try again', action: { do: 'send-text', session, text, when: 'queue' } }],
        [{ text: 'Discard', action: { do: 'discard' } }],
      ],
    })
    return `not delivered: ${sent.result}`
  }
}
