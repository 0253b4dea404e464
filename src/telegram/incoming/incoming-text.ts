import { delay, newNonce } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { LiveSession, SendResult, SessionRecord } from '../../sessions/index.js'
import { askSubject, readAsk, sessionTitle } from '../cards/names.js'
import { type Asker, type Desk, needRole } from '../command-services.js'
import type { Starter } from '../commands/start-wizard.js'
import { escapeHtml } from '../outgoing/split.js'
import type { KeyWish } from './button-action.js'
import { decideHere, denyWith } from './decide-from-chat.js'

/** Words that waited for so long while nobody was here are not sent without asking. */
const OLD_MS = 10 * 60_000
/** Below what a handler may take: an agent that is slow to show that it took a text holds up nobody. */
const PATIENCE_MS = 25_000

/** Words of somebody else, as the agent gets them: it is told whose they are. */
export function forwardedWords(text: string, origin: string): string {
  return `Forwarded from ${origin}:\n${text}`
}

/** What becomes of words in a chat: an answer to the card they reply to, else a prompt for the session of that place. */
export class Words {
  readonly #desk: Desk
  readonly #starter: Starter

  constructor(desk: Desk, starter: Starter) {
    this.#desk = desk
    this.#starter = starter
  }

  async take(text: string, to: Asker, about: { at: number; isForwarded: boolean; origin?: string }): Promise<string> {
    needRole(to.person, 'approver')
    const { chats } = this.#desk
    const subject = to.replyTo === undefined ? null : await chats.subjectOf(to.chat, to.replyTo)
    // Words of others never answer anything.
    if (!about.isForwarded) {
      const answered = await this.#answer(subject, text, to)
      if (answered !== null) return answered
    }
    const record = await this.#desk.need(to)
    if (about.isForwarded) {
      const origin = about.origin ?? 'somebody'
      const why = `Forwarded from ${origin}: not sent by itself.`
      return this.#offer(record, forwardedWords(text, origin), to, why)
    }
    if (this.#desk.clock.now() - about.at > OLD_MS)
      return this.#offer(record, text, to, 'This waited while nobody was here.')
    if (to.isAgain) return this.#offer(record, text, to, 'Signalbox was restarted: nobody saw whether this was sent.')
    return this.send(record, text, to, 'queue')
  }

  /** To the agent, by its keyboard; what came of it is said where it is not plain to see. */
  async send(record: SessionRecord, text: string, to: Asker, when: 'queue' | 'hold'): Promise<string> {
    const live = this.#desk.live(record)
    await this.#desk.chats.change(to.chat, {
      follows: [...new Set([...((await this.#desk.chats.get(to.chat)).follows ?? []), record.id])],
    })
    if (live.approval?.state === 'pending' && when !== 'hold') return this.#refuseForApproval(record, live, text, to)
    const sending = live.send(text, { whenBusy: when, meaning: 'auto' })
    const isSlow = delay(this.#desk.clock, PATIENCE_MS).then(() => null)
    const result = await Promise.race([sending, isSlow])
    if (result) return this.#tell(record, live, result, text, to)
    void sending.then(late => this.#tell(record, live, late, text, to)).catch(() => undefined)
    return 'still on its way'
  }

  /** Text of theirs was changed: what still waits is changed with it. */
  async edited(text: string, to: Asker): Promise<string> {
    if (to.message === undefined) return 'nothing to change'
    const held = /^held\.([^.]+)\.(.+)$/.exec((await this.#desk.chats.subjectOf(to.chat, to.message)) ?? '')
    const live = held && this.#desk.host.live(held[1]!)
    if (!held || !live?.dropPrompt(held[2]!)) {
      await this.#desk.say(to, 'That was sent already: the change was not.', { isReply: true })
      return 'sent already'
    }
    return this.send(await this.#desk.host.record(held[1]!), text, to, 'hold')
  }

  /** A reply to a card, or to a question of ours; null when it is neither. */
  async #answer(subject: string | null, text: string, to: Asker): Promise<string | null> {
    const ask = readAsk(subject)
    if (ask?.for === 'run') {
      await this.#starter.next(
        { kind: ask.kind, project: ask.project, text, ...(ask.agent !== undefined && { agent: ask.agent }) },
        0,
        to,
      )
      return `${ask.kind} asked for`
    }
    const { ledger } = this.#desk.host
    const shown = /^(apr_[^/]+)/.exec(subject ?? '')?.[1]
    const named = ask?.approval ?? shown
    if (named === undefined) return null
    // A card shows its request as it is known now; a question was about one fingerprint.
    const record = (ask ? null : await ledger.standing(named)) ?? (await ledger.find(named))
    const { id } = record
    if (record.state !== 'pending') throw new SignalboxError('E_STATE', 'That request is over: nothing was decided.')
    const { person, update } = to
    const fingerprint = ask?.fingerprint ?? record.fingerprint
    // Words to a plan are why it is not good yet.
    const isFeedback =
      record.kind === 'plan' && record.request.options.some(({ meaning }) => meaning === 'deny-with-text')
    if (ask?.for !== 'reason' && record.kind !== 'permission' && !isFeedback) {
      await decideHere(this.#desk, id, { fingerprint, text, isWhole: true }, { person, update })
      return 'answered'
    }
    return denyWith(this.#desk, id, fingerprint, text, { person, update })
  }

  async #offer(record: SessionRecord, text: string, to: Asker, why: string): Promise<string> {
    const session = record.id
    const keys: KeyWish[][] = [
      [{ text: 'Send now', press: { do: 'send-text', session, text, when: 'queue' } }],
      [{ text: 'Discard', press: { do: 'discard' } }],
    ]
    await this.#desk.say(to, `${escapeHtml(why)}\nSend it to <b>${escapeHtml(sessionTitle(record))}</b>?`, {
      about: session,
      keys,
      isReply: true,
    })
    return 'asked whether to send it'
  }

  async #refuseForApproval(record: SessionRecord, live: LiveSession, text: string, to: Asker): Promise<string> {
    const { id: approval, fingerprint } = live.approval!
    const session = record.id
    await this.#desk.say(
      to,
      `Not sent: <b>${escapeHtml(sessionTitle(record))}</b> waits for an answer. Answer the open request first.`,
      {
        about: session,
        isReply: true,
        keys: [
          [{ text: 'Use as reason to deny', press: { do: 'deny-with', approval, fingerprint, text }, style: 'danger' }],
          [{ text: 'Send when free', press: { do: 'send-text', session, text, when: 'hold' } }],
          [{ text: 'Discard', press: { do: 'discard' } }],
        ],
      },
    )
    return 'refused: a request is open'
  }

  async #tell(record: SessionRecord, live: LiveSession, sent: SendResult, text: string, to: Asker): Promise<string> {
    const session = record.id
    const about = { about: session, isReply: true }
    switch (sent.result) {
      case 'delivered':
        return 'delivered'
      case 'queued':
        await this.#desk.say(to, 'Queued: the agent takes it when it is done with this.', about)
        return 'queued in the agent'
      case 'held': {
        if (to.message !== undefined)
          await this.#desk.chats.remember(to.chat, `held.${session}.${sent.prompt}`, to.message)
        await this.#desk.say(to, 'Held here until the agent rests.', {
          ...about,
          keys: [
            [{ text: 'Send now (interrupts)', press: { do: 'interrupt', session } }],
            [{ text: 'Remove', press: { do: 'drop-prompt', session, prompt: sent.prompt } }],
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
    await this.#desk.say(to, `Not delivered: ${escapeHtml(sent.detail)}`, {
      ...about,
      keys: [
        [{ text: 'Try again', press: { do: 'send-text', session, text, when: 'queue' } }],
        [{ text: 'Discard', press: { do: 'discard' } }],
      ],
    })
    return `not delivered: ${sent.result}`
  }

  /** Asks for an answer in the person's own words, in the same way. */
  async askAnswer(approval: string, fingerprint: string, to: Asker): Promise<void> {
    await this.#desk.say(to, 'Reply to this message with your answer.', {
      about: askSubject({ for: 'answer', approval, fingerprint, nonce: newNonce() }),
      forceReply: true,
    })
  }

  /** Asks for the reason of a denial, by a reply to the question and by nothing else. */
  async askReason(approval: string, fingerprint: string, to: Asker): Promise<void> {
    await this.#desk.say(to, 'Why not? Reply to this message with the reason.', {
      about: askSubject({ for: 'reason', approval, fingerprint, nonce: newNonce() }),
      forceReply: true,
    })
  }
}
