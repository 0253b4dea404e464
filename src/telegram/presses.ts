import { SignalboxError } from '../errors/index.js'
import type { Host, Person } from '../host/index.js'
import type { CardMaker, Reader } from './card-maker.js'
import type { Chats } from './chats.js'
import type { Outbox } from './outbox.js'
import type { Intent } from './parse-update.js'
import type { Press } from './press.js'
import type { Tokens } from './tokens.js'

export interface PressesOptions {
  host: Host
  chats: Chats
  cards: CardMaker
  tokens: Tokens
  outbox: Outbox
}

type PressIntent = Extract<Intent, { kind: 'press' }>

/** What happens when a button is pressed. Everything comes from the token's row; the message it hung under is not needed. */
export class Presses {
  readonly #options: PressesOptions

  constructor(options: PressesOptions) {
    this.#options = options
  }

  /** Says what it did; always answers the press. */
  async perform(intent: PressIntent, person: Person, update: number): Promise<string> {
    const { tokens, outbox } = this.#options
    const answer = async (text: string, isAlert: boolean) => {
      await outbox.toast(intent.query, text, isAlert)
      return text
    }
    const token = await tokens.find(intent.data)
    if (!token) return answer('This button is not known here.', true)
    if (token.used) {
      if (token.used.update === update) return answer(token.used.result, false)
      return answer(await this.#afterUse(token.act as unknown as Press), true)
    }
    if (!token.people.includes(intent.from.id) || person.role === 'viewer')
      return answer('You may look, but not decide here.', true)
    if (tokens.isExpired(token)) return answer('This button is too old. Open the newest message.', true)
    const reader = await this.#options.chats.reader(token.chat)
    if (!reader) return answer('This chat is not known here any more.', true)
    try {
      const said = await this.#act(token.act as unknown as Press, { intent, person, update, reader })
      return answer(said, false)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      return answer(
        error.code === 'E_TOKEN_USED' ? await this.#afterUse(token.act as unknown as Press) : error.message,
        true,
      )
    }
  }

  async #act(
    press: Press,
    by: { intent: PressIntent; person: Person; update: number; reader: Reader },
  ): Promise<string> {
    const { host, cards, outbox, tokens } = this.#options
    const { intent, person, update, reader } = by
    const used = (result: string) => tokens.use(intent.data, { by: intent.from.id, update, result })
    switch (press.do) {
      case 'decide': {
        const record = await host.ledger.find(press.approval)
        const chosen = record.request.options.find(({ key }) => key === press.option)
        const said = `${chosen?.label ?? 'Sent'}: being applied…`
        await host.ledger.decide(
          press.approval,
          {
            fingerprint: press.fingerprint,
            ...(press.option !== undefined && { option: press.option }),
            ...(press.choices && { choices: press.choices }),
            seen: { displayHash: record.display.hash, whole: press.isWhole },
            actor: { kind: 'person', id: person.id, name: person.name, role: person.role },
            surface: 'telegram',
            idempotencyKey: `telegram:${update}`,
          },
          async () => [await used(said)],
        )
        return said
      }
      case 'keys': {
        const record = await host.ledger.find(press.approval)
        const words = await cards.approval(record, reader, { face: press.face, ticked: [], page: 0 })
        await outbox.say(words.items, [...words.appends, await used(press.face)])
        return ''
      }
      default:
        throw new SignalboxError('E_INPUT', `nothing is known to do for "${press.do}"`)
    }
  }

  /** Who was first, for the one who came second. */
  async #afterUse(press: Press): Promise<string> {
    if (!('approval' in press)) return 'This button was used already.'
    const record = await this.#options.host.ledger.get(press.approval)
    const by = record?.decision?.actor.name
    return by ? `${by} decided first.` : 'This button was used already.'
  }
}
