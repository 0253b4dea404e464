import { displayText } from '../../approvals/index.js'
import { cancelRun, findRun, resumeRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { ButtonToken } from '../../host/index.js'
import type { Person } from '../../people/index.js'
import { sessionTitle } from '../cards/names.js'
import { interruptWords, screenText } from '../cards/session-texts.js'
import { type Asker, type Desk, needRole, personName } from '../command-services.js'
import { showRun } from '../commands/run-commands.js'
import { showSession } from '../commands/session-commands.js'
import type { Starter } from '../commands/start-wizard.js'
import { escapeHtml, PART_UNITS } from '../outgoing/split.js'
import type { Press } from './button-action.js'
import { decideHere, denyWith } from './decide-from-chat.js'
import type { Files } from './file-transfers.js'
import type { Words } from './incoming-text.js'
import { pressKey } from './key-pad.js'
import type { Intent } from './parse-update.js'

type PressIntent = Extract<Intent, { kind: 'press' }>

export interface PressesOptions {
  desk: Desk
  words: Words
  starter: Starter
  files: Files
  /** Somebody pressed what is not theirs: on record, and nothing more. */
  refused(intent: PressIntent, update: number, reason: string): Promise<void>
  onError(error: unknown): void
}

/** A press must be answered within two seconds; what takes longer is told in a message. */
const PATIENCE_MS = 1500
/** What came of these is edited into the card that they hang under. */
const IS_ON_CARD: ReadonlySet<string> = new Set(['decide', 'deny-with'])

/** What happens when a button is pressed. Everything comes from the token's row; the message it hung under is not needed. */
export class Presses {
  readonly #options: PressesOptions

  constructor(options: PressesOptions) {
    this.#options = options
  }

  /** Says what it did; always answers the press. */
  async perform(intent: PressIntent, person: Person, update: number, isAgain: boolean): Promise<string> {
    const { desk, refused } = this.#options
    const { tokens, outbox, chats } = desk
    let late: ((text: string) => Promise<void>) | null = null
    let isAnswered = false
    let press: Press | null = null
    const answer = async (text: string, isAlert: boolean) => {
      if (!isAnswered) {
        isAnswered = true
        await outbox.toast(intent.query, text, isAlert)
      } else if (text !== '' && (isAlert || !IS_ON_CARD.has(press?.do ?? ''))) await late?.(text)
      return text
    }
    const refuse = async (text: string) => {
      await refused(intent, update, text)
      return answer(text, true)
    }
    const token = await tokens.find(intent.data)
    if (!token) return refuse('This button is not known here.')
    press = token.act as unknown as Press
    if (token.people.includes(intent.from.id)) await this.#learnCopy(intent, token)
    if (token.used)
      return token.used.update === update
        ? answer(token.used.result, false)
        : refuse(await this.#afterUse(press, person))
    if (!token.people.includes(intent.from.id) || person.role === 'viewer')
      return refuse('You may look, but not decide here.')
    if (tokens.isExpired(token)) return refuse('This button is too old. Open the newest message.')
    const reader = await chats.reader(token.chat)
    if (!reader) return refuse('This chat is not known here any more.')
    const to: Asker = { person, from: intent.from.id, chat: token.chat, reader, update, isAgain }
    late = text => desk.say(to, escapeHtml(text))
    const patience = desk.clock.setTimer(PATIENCE_MS, () => {
      if (!isAnswered) void answer('One moment…', false)
    })
    try {
      return await answer(await this.#act(press, to, intent.data), false)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      return await refuse(
        error.code === 'E_TOKEN_USED' || error.code === 'E_APPROVAL_DECIDED'
          ? await this.#afterUse(press, person)
          : [error.message, error.next].filter(Boolean).join(' — '),
      )
    } finally {
      patience.cancel()
    }
  }

  /** Sent twice, because the first was not confirmed: this copy is shown as well, and closed where the request is over. */
  async #learnCopy(intent: PressIntent, token: ButtonToken): Promise<void> {
    const { desk } = this.#options
    const { chats, host, cards, outbox } = desk
    if (intent.message === null || intent.chat !== token.chat || !/^apr_[^/]+$/.test(token.subject)) return
    const record = await host.ledger.standing(token.subject)
    const subject = record ? await cards.subjectOf(record) : token.subject
    if (!(await chats.remember(token.chat, subject, intent.message))) return
    const reader = await chats.reader(token.chat)
    if (!record || !reader || record.state === 'pending') return
    const { items, appends } = await cards.approval(record, reader)
    await outbox.say(items, appends)
  }

  async #act(press: Press, to: Asker, data: string): Promise<string> {
    const { desk, words, starter, files } = this.#options
    const { host, cards, outbox, tokens } = desk
    const use = (result: string) => tokens.use(data, { by: to.from, update: to.update, result })
    /** Used first, then done: of two who press at once only one does it. */
    const once = async (result: string) => {
      await outbox.say([], [await use(result)])
      return result
    }
    switch (press.do) {
      case 'decide': {
        const record = await host.ledger.find(press.approval)
        const label = record.request.options.find(({ key }) => key === press.option)?.label
        const said = `${label ?? 'Sent'}: being applied…`
        const { do: _, approval, ...answer } = press
        await decideHere(desk, approval, answer, to, async () => [await use(said)])
        return said
      }
      case 'deny-with':
        return denyWith(desk, press.approval, press.fingerprint, press.text, to, async () => [
          await use('Denied, with your reason'),
        ])
      case 'keys':
      case 'tick': {
        const record = await host.ledger.find(press.approval)
        const look =
          press.do === 'keys'
            ? { face: press.face, isSeen: press.isSeen === true }
            : { ticked: press.ticked, page: press.page }
        const made = await cards.approval(record, to.reader, look)
        await outbox.say(made.items, [...made.appends, await use('')])
        return ''
      }
      case 'see-all':
        return this.#seeAll(press.approval, to, await use('Here is all of it.'))
      case 'ask-reason': {
        const { fingerprint } = await host.ledger.find(press.approval)
        await words.askReason(press.approval, fingerprint, to)
        return once('Reply with the reason.')
      }
      case 'ask-answer': {
        const { fingerprint } = await host.ledger.find(press.approval)
        await words.askAnswer(press.approval, fingerprint, to)
        return once('Reply with the answer.')
      }
      case 'show-run':
        await showRun(desk, to, press.run)
        return ''
      case 'show-session':
        await showSession(desk, to, await host.record(press.session))
        return ''
      case 'new-topic': {
        const record = await host.record(press.session)
        await once('A new topic…')
        await desk.topics.again(to.chat, record.id)
        await desk.say(to, `<b>${escapeHtml(sessionTitle(record))}</b>\ngoes on here.`, { about: record.id })
        return ''
      }
      case 'current': {
        const record = await host.record(press.session)
        await desk.makeCurrent(to.chat, record.id)
        return once(`What you write goes to #${record.number} now.`)
      }
      case 'stop':
        return this.stop(press.session, press.isSure, to, () => once(press.isSure ? 'Stopping…' : 'Really?'))
      case 'interrupt':
        await once('Interrupting…')
        return interruptWords(await desk.live(await host.record(press.session)).interrupt())
      case 'keypress':
        // A key pad is pressed many times: its buttons are not used up. What may have been pressed is not pressed again.
        if (to.isAgain) return 'Perhaps pressed already.'
        await pressKey(desk.live(await host.record(press.session)), press.key)
        return press.key
      case 'wizard':
        await once('One moment…')
        await starter.next(press.wish, press.page, to)
        return ''
      case 'send-text':
        await once('Sending…')
        return words.send(await host.record(press.session), press.text, to, press.when)
      case 'drop-prompt':
        return once(desk.live(await host.record(press.session)).dropPrompt(press.prompt) ? 'Removed.' : 'Sent already.')
      case 'discard':
        return once('Discarded.')
      case 'run': {
        const { id } = await findRun(host.store, press.run)
        await once(press.act === 'cancel' ? 'Cancelling…' : 'Going on…')
        if (press.act === 'cancel') await cancelRun(host.store, id, { by: to.person.name, reason: 'cancelled' })
        else await resumeRun(host.store, id, { by: to.person.name })
        return press.act === 'cancel' ? 'Cancelled.' : 'It goes on.'
      }
      case 'resume-session': {
        await once('Resuming…')
        const wish = { terminal: null, size: null, person: personName(to.person) }
        const resumed = await host.resumeSession(await host.record(press.session), wish)
        await desk.makeCurrent(to.chat, resumed.id)
        await desk.say(to, `<b>${escapeHtml(sessionTitle(resumed))}</b>\ngoes on.`, { about: resumed.id })
        return ''
      }
      case 'download':
        return files.offer(await host.record(press.session), press.path, to, { isOutside: press.isOutside === true })
      case 'screen-file': {
        const record = await host.record(press.session)
        await desk.sayFile(to, {
          name: `screen-${record.number}.txt`,
          text: await screenText(desk.live(record)),
          caption: sessionTitle(record),
        })
        return ''
      }
      case 'update-agent': {
        needRole(to.person, 'owner')
        const { updateAgent } = desk.doors
        if (!updateAgent) throw new SignalboxError('E_STATE', 'Agents are not updated from here.')
        await once('Updating…')
        // It may take minutes: what came of it is told when it is there.
        void updateAgent(press.agent)
          .catch(error => [error.message, error.next].filter(Boolean).join(' '))
          .then(said => desk.say(to, escapeHtml(said)))
          .catch(this.#options.onError)
        return 'Updating…'
      }
      case 'lockdown': {
        needRole(to.person, 'owner')
        await once('Locked down.')
        const { grants } = (await desk.doors.lockdown?.begin(to.person)) ?? { grants: 0 }
        await desk.say(to, `Locked down: ${grants} grants ended, every browser logged out, only denials are taken.`)
        return ''
      }
    }
  }

  /** Asks once; then stops, and says what is current now. */
  async stop(session: string, isSure: boolean, to: Asker, once: () => Promise<string>): Promise<string> {
    const { desk } = this.#options
    const record = await desk.host.record(session)
    const said = await once()
    if (!isSure) {
      await desk.say(to, `Stop <b>${escapeHtml(sessionTitle(record))}</b>?`, {
        about: session,
        keys: [
          [{ text: 'Yes, stop it', press: { do: 'stop', session, isSure: true }, style: 'danger' }],
          [{ text: 'No', press: { do: 'discard' } }],
        ],
      })
      return said
    }
    await desk.host.live(session)?.stop()
    const left = (await desk.host.records()).filter(({ id }) => id !== session && desk.host.live(id))
    const { current } = await desk.chats.get(to.chat)
    const next = current === session ? left.at(-1) : left.find(({ id }) => id === current)
    if (current === session) await desk.makeCurrent(to.chat, next?.id ?? null)
    await desk.say(
      to,
      `<b>${escapeHtml(sessionTitle(record))}</b> has stopped. ${next ? `Current is now ${escapeHtml(sessionTitle(next))}.` : 'No session is left: /new starts one.'}`,
    )
    return said
  }

  /** The whole request under its own message, with buttons that know that it was seen. */
  async #seeAll(approval: string, to: Asker, used: Awaited<ReturnType<Desk['tokens']['use']>>): Promise<string> {
    const { desk } = this.#options
    const { host, cards, outbox } = desk
    const record = await host.ledger.find(approval)
    const text = displayText(record.display).trim()
    const { id, name, role } = to.person
    const seen = { displayHash: record.display.hash, whole: !record.display.isCut }
    if (escapeHtml(text).length > PART_UNITS)
      await desk.sayFile(to, {
        name: record.kind === 'plan' ? 'plan.md' : `${approval}.txt`,
        text,
        caption: record.kind === 'plan' ? 'The whole plan' : 'The whole request',
      })
    else await desk.say(to, `<pre>${escapeHtml(text)}</pre>`, { about: approval })
    await host.ledger.seen(approval, { ...seen, actor: { kind: 'person', id, name, role }, surface: 'telegram' })
    const made = await cards.approval(record, to.reader, { isSeen: true }, { isBelow: true })
    await outbox.say(made.items, [...made.appends, used])
    return ''
  }

  /** Who was first, for the one who came second. */
  async #afterUse(press: Press, person: Person): Promise<string> {
    if (!('approval' in press)) return 'This button was used already.'
    const record = await this.#options.desk.host.ledger.get(press.approval)
    const by = record?.decision?.actor
    if (by) return by.id === person.id ? 'You decided this already.' : `${by.name} decided first.`
    return record?.state === 'pending' ? 'This button was used already.' : 'This request is over.'
  }
}
