import { basename, dirname, join } from 'node:path'
import type { AgentTranscript, TranscriptLookup, TranscriptReader, TranscriptUpdate } from './adapter.js'
import { ClaudeConversation } from './claude-conversation.js'
import { movableDirectory } from './home-directory.js'
import { JsonLinesReader } from './json-lines.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

/**
 * Whole requests to the model: up to 90 KB per exchange, without any information that other records
 * lack.
 */
const REQUEST_RECORD = Buffer.from('{"type":"api-request')

/**
 * `~/.claude/projects/<directory, dashed>/<session>.jsonl`, sub-agents in `<session>/subagents/`.
 */
export const claudeTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path => new ClaudeTranscriptReader(path),
}

async function locate({ env, cwd, agentSessionId, startedAt }: TranscriptLookup): Promise<string[]> {
  const projects = join(movableDirectory(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects')
  const here = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  // The agent may have moved to another directory (a worktree), and shortens very long names:
  // search all projects for the id.
  const likely = await namesIn(projects)
  if (agentSessionId !== null)
    return writtenSince(
      likely.map(folder => join(projects, folder, `${agentSessionId}.jsonl`)),
      0,
    )
  const isConversation = (name: string) => name.endsWith('.jsonl') && !name.startsWith('agent-')
  return writtenSince(await pathsIn(join(projects, here), isConversation), startedAt)
}

class ClaudeTranscriptReader implements TranscriptReader {
  readonly #subAgentDirectory: string
  readonly #main: { lines: JsonLinesReader; conversation: ClaudeConversation }
  readonly #subAgents = new Map<string, { lines: JsonLinesReader; conversation: ClaudeConversation }>()

  constructor(path: string) {
    const session = basename(path, '.jsonl')
    this.#subAgentDirectory = join(dirname(path), session, 'subagents')
    this.#main = open(path, new ClaudeConversation({ session, path }))
  }

  async read(): Promise<TranscriptUpdate> {
    const update: TranscriptUpdate = { statements: [], skipped: 0 }
    await readInto(update, this.#main)
    for (const name of await namesIn(this.#subAgentDirectory)) {
      const subAgent = /^agent-(.+)\.jsonl$/.exec(name)?.[1]
      if (subAgent === undefined) continue
      let reader = this.#subAgents.get(subAgent)
      if (!reader) {
        reader = open(join(this.#subAgentDirectory, name), new ClaudeConversation({ subAgent }))
        this.#subAgents.set(subAgent, reader)
      }
      await readInto(update, reader)
    }
    return update
  }

  close(): void {
    this.#subAgents.clear()
  }
}

function open(path: string, conversation: ClaudeConversation) {
  const isWanted = (line: Buffer) => !line.subarray(0, REQUEST_RECORD.length).equals(REQUEST_RECORD)
  return { lines: new JsonLinesReader(path, { isWanted }), conversation }
}

async function readInto(
  update: TranscriptUpdate,
  { lines, conversation }: { lines: JsonLinesReader; conversation: ClaudeConversation },
): Promise<void> {
  const { skipped } = await lines.read(record => update.statements.push(...conversation.parseRecord(record)))
  update.skipped += skipped
}
