import { EXIT } from '../../errors/index.js'
import type { SessionDiff } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { printPaged } from '../pager.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'diff'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const changes = await client.get<SessionDiff>(`${await sessionPath(client, args.id)}/diff`)
  if (options.json) {
    context.json(changes)
    return EXIT.ok
  }
  const { diff, isCut, hidden } = changes
  for (const path of hidden) context.note(`not shown, because files with this name usually hold credentials: ${path}`)
  if (diff === '') context.note('no changes')
  else
    await printPaged(
      context,
      diff.split('\n').map(line => coloured(context, line)),
    )
  if (isCut) context.note('the diff is longer; git diff shows all of it')
  return EXIT.ok
}

function coloured({ style }: CommandContext, line: string): string {
  if (/^(diff|index|---|\+\+\+) /.test(line)) return style('bold', line)
  if (line.startsWith('@@')) return style('cyan', line)
  if (line.startsWith('+')) return style('green', line)
  return line.startsWith('-') ? style('red', line) : line
}
