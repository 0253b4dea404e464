import { EXIT } from '../../errors/index.js'
import type { Page, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { allowanceLines, panesById, sessionLine } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { options }: InputOf<'sessions'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const items = (await client.get<Page<Session>>('/sessions')).items.reverse()
  const shown = options.all ? items : items.filter(item => item.state === 'starting' || item.state === 'live')
  if (options.json) context.json(shown)
  else if (shown.length === 0)
    context.out(
      options.all ? 'no sessions yet; try: signalbox start demo' : 'no running sessions; try: signalbox start demo',
    )
  else {
    const panes = await panesById(client)
    for (const session of shown) {
      context.out(sessionLine(session, context, panes))
      for (const line of allowanceLines(session)) context.out(context.style('dim', line))
    }
  }
  return EXIT.ok
}
