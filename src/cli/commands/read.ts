import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Conversation, InMilliseconds, PaneConversation, Screen, TextFrame } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { noteRead } from '../sessions/note-read.js'
import { readablePath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

type Message = InMilliseconds<Conversation>['messages'][number]

/** Printed above an answer of which only the end was seen. */
const JOINED_LATE = '(joined late: this answer had started before the pane was watched)'

export async function run(context: CommandContext, { args, options }: InputOf<'read'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const path = await readablePath(context, client, args.id)
  if (options.screen) {
    const code = await printScreen(context, client, path.screen, options.json === true)
    if (!options.json) await noteRead(context, client, path.pane)
    return code
  }
  const { messages } = await client.get<Conversation | PaneConversation>(path.conversation)
  const chosen = pickTurn(afterTurn(messages, options.since), options.turn)
  if (options.json) {
    for (const message of chosen) context.json(message)
    return EXIT.ok
  }
  if (chosen.length === 0) context.note('no answers yet; --screen prints what the terminal shows')
  const { renderAnsi } = await import('../../screen/index.js')
  const style = { isColour: context.isOutputTty && !context.env.NO_COLOR, width: Math.min(context.columns, 100) }
  chosen.forEach((message, index) => {
    if (index > 0) context.out('')
    if (message.joinedLate) context.out(style.isColour ? `\u001b[2m${JOINED_LATE}\u001b[22m` : JOINED_LATE)
    for (const line of renderAnsi(message.blocks, style)) context.out(line)
  })
  if (chosen.length > 0 && chosen.at(-1) === messages.at(-1)) await noteRead(context, client, path.pane)
  return EXIT.ok
}

async function printScreen(
  context: CommandContext,
  client: DaemonClient,
  path: string,
  isJson: boolean,
): Promise<number> {
  const { visibleText } = await import('../../text/index.js')
  const screen = await client.get<Screen | TextFrame>(path)
  if (isJson) context.json(screen)
  else for (const line of screen.lines) context.out(visibleText(line))
  return EXIT.ok
}

function afterTurn(messages: readonly Message[], wanted: string | undefined): readonly Message[] {
  if (wanted === undefined) return messages
  const number = numberOf(wanted)
  if (!Number.isInteger(number) || number < 0)
    throw new SignalboxError('E_INPUT', `invalid turn "${wanted}"`, { next: 'give its number, or its id from --json' })
  return messages.filter(message => numberOf(message.turn) > number)
}

/** Turns count from 1; negative numbers count from the end. */
function pickTurn(messages: readonly Message[], wanted: string | undefined): Message[] {
  if (wanted === undefined) return [...messages]
  const turns = [...new Set(messages.map(message => message.turn))]
  const number = Number(wanted)
  const turn = number < 0 ? turns.at(number) : turns.find(name => numberOf(name) === number)
  if (!Number.isInteger(number) || turn === undefined)
    throw new SignalboxError('E_INPUT', `there is no turn ${wanted}`, {
      next:
        turns.length === 0 ? 'this session has no answer yet' : `turns with answers: ${turns.map(numberOf).join(', ')}`,
    })
  return messages.filter(message => message.turn === turn)
}

/** The id of a turn ends with its number. */
function numberOf(turn: string): number {
  return Number(turn.slice(turn.lastIndexOf('.') + 1))
}
