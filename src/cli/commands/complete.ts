import { agentNames } from '../../agents/index.js'
import { requestTitle } from '../../approvals/index.js'
import { isEnded, listRuns } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { mayHaveStore } from '../../host/index.js'
import { type SessionRecord, sessionsProjection } from '../../sessions/index.js'
import type { EventStore } from '../../store/index.js'
import { truncate, visibleText } from '../../text/index.js'
import { pendingApprovals } from '../approvals/pending-approvals.js'
import { type Candidate, type Completion, findCompletion } from '../completion/find-completion.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'
import type { CompletionKind } from '../specs/command-spec.js'
import { COMMANDS, type InputOf } from '../specs/index.js'

const DESCRIPTION_MAX = 60
/** Sessions and runs of the past that are offered, newest first. */
const PAST_MAX = 30

/** Called by the shell at each tab: starts no daemon, and makes no store. */
export async function run(context: CommandContext, { rest }: InputOf<'complete'>): Promise<number> {
  const words = rest ?? []
  const commands = COMMANDS.filter(({ hidden }) => !hidden)
  const found = findCompletion(commands, words)
  if (found === 'file' || found === 'directory') {
    context.out(found === 'file' ? 'files' : 'directories')
    return EXIT.ok
  }
  context.out('words')
  const current = words.at(-1) ?? ''
  for (const { word, description = '' } of await candidatesOf(context, found))
    if (word.startsWith(current))
      context.out(`${word}\t${truncate(visibleText(description).replace(/\s+/g, ' '), DESCRIPTION_MAX)}`)
  return EXIT.ok
}

async function candidatesOf(
  context: CommandContext,
  found: Exclude<Completion, 'file' | 'directory'>,
): Promise<readonly Candidate[]> {
  if (typeof found !== 'string') return found
  if (found === 'agent') return agentNames().map(word => ({ word }))
  if (found === 'command')
    return COMMANDS.filter(({ hidden }) => !hidden).map(({ name, summary }) => ({ word: name, description: summary }))
  if (!mayHaveStore(openHome(context).settings)) return []
  return withStore(context, store => STORED[found](store))
}

type StoredKind = Exclude<CompletionKind, 'agent' | 'command' | 'file' | 'directory'>

const STORED: Readonly<Record<StoredKind, (store: EventStore) => Promise<Candidate[]>>> = {
  session: async store => (await sessions(store)).filter(isRunning).flatMap(sessionCandidates),
  resumable: async store => [
    ...(await sessions(store))
      .filter(record => !isRunning(record))
      .slice(0, PAST_MAX)
      .flatMap(sessionCandidates),
    ...(await runs(store, { areOpen: true })),
  ],
  approval: async store =>
    (await pendingApprovals(store)).map(approval => ({ word: approval.id, description: requestTitle(approval) })),
  run: store => runs(store, { areOpen: false }),
}

const isRunning = ({ state }: SessionRecord) => state === 'live' || state === 'starting'

async function sessions(store: EventStore): Promise<SessionRecord[]> {
  const documents = await store.documents<SessionRecord>(sessionsProjection.name)
  return documents.map(({ state }) => state).sort((a, b) => b.startedAt - a.startedAt)
}

/** People type the number; the id is for scripts. */
function sessionCandidates({ id, number, agent, label, title = '', lastPrompt = '' }: SessionRecord): Candidate[] {
  const description = [agent, label ?? (title || lastPrompt)].filter(Boolean).join(': ')
  return [
    { word: String(number), description },
    { word: id, description },
  ]
}

async function runs(store: EventStore, { areOpen }: { areOpen: boolean }): Promise<Candidate[]> {
  return (await listRuns(store))
    .filter(({ isArchived, status }) => !isArchived && !(areOpen && isEnded(status)))
    .slice(0, PAST_MAX)
    .map(({ id, kind, title }) => ({ word: id, description: `${kind}: ${title}` }))
}
