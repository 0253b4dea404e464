import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ActivityBody, ActivityParser, JsonPart } from '../../activity/index.js'
import { Git } from '../../git/index.js'
import type { Findings, HeadlessAgent, PermissionLevel, StepTraces } from './headless.js'
import { errorOf, rawText, usageOf } from './records.js'

const PERMISSION_ARGS: Readonly<Record<PermissionLevel, readonly string[]>> = {
  read: ['--chat-mode', 'ask', '--dry-run'],
  ask: [],
  edits: [],
  all: [],
}
const HISTORY = 'aider.chat.md'
const REQUESTS = 'aider.llm.txt'

/**
 * Aider with one message. It prints text, not records, and reports nothing while it works; its exit
 * code is its final record. Its history is in the step's own directory.
 */
export const aiderHeadless: HeadlessAgent = {
  levels: ['read', 'all'],
  takesModel: true,
  takesSchema: false,
  reportsToolsLate: true,
  endsByExit: true,
  command(_, { permissions, model, directory, promptFile }) {
    return {
      args: [
        '--message-file',
        promptFile,
        '--yes-always',
        '--no-stream',
        '--no-pretty',
        '--no-check-update',
        '--no-show-release-notes',
        '--analytics-disable',
        '--no-suggest-shell-commands',
        '--no-detect-urls',
        '--chat-history-file',
        join(directory, HISTORY),
        '--llm-history-file',
        join(directory, REQUESTS),
        ...PERMISSION_ARGS[permissions],
        ...(model !== null ? ['--model', model] : []),
      ],
      env: {},
      stdin: 'none',
      agentSessionId: null,
    }
  },
  parser: () => new AiderLines(),
  examine,
}

const UNITS = { k: 1_000, M: 1_000_000 } as const

/** A line that Aider is not known to print itself is part of the model's answer. */
class AiderLines implements ActivityParser {
  #answer: string[] = []

  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'object') return this.#addAnswer(JSON.stringify(part.value))
    if (part.truncated) return [rawText(part)]
    const { text } = part
    const edited = /^Applied edit to (.+)$/.exec(text)?.[1]
    if (edited !== undefined) return [{ type: 'file_change', path: edited, change: 'update' }]
    if (/^Commit [0-9a-f]{7,40} /.test(text)) return [{ type: 'notice', level: 'info', text }]
    if (text.startsWith('Tokens: ')) return [usageIn(text)]
    if (/^litellm\.\w*Error\b/.test(text) || text.startsWith('Unable to ')) return [errorOf(text)]
    return this.#addAnswer(text)
  }

  end(): ActivityBody[] {
    const text = this.#answer.join('\n').trim()
    return text === '' ? [] : [{ type: 'text', text, delta: false, block: 'answer' }]
  }

  #addAnswer(text: string): ActivityBody[] {
    this.#answer.push(text)
    return [{ type: 'text', text: `${text}\n`, delta: true, block: 'answer' }]
  }
}

/** `Tokens: 2.1k sent, 154 received. Cost: $0.0087 message, $0.02 session.` */
function usageIn(text: string): ActivityBody {
  const tokens = (word: string) => {
    const [, number, unit] = new RegExp(`([\\d.,]+)([kM])? ${word}`).exec(text) ?? []
    return number === undefined ? 0 : Number(number.replaceAll(',', '')) * (unit ? UNITS[unit as 'k' | 'M'] : 1)
  }
  const cost = /Cost: \$([\d.]+) message/.exec(text)?.[1]
  return usageOf('turn', {
    input: tokens('sent'),
    output: tokens('received'),
    ...(cost !== undefined && { costUsd: Number(cost) }),
  })
}

/** Complete: Aider committed since the start and wrote the history afterwards. */
async function examine({ cwd, directory, startedAt, sessionId }: StepTraces): Promise<Findings> {
  const file = join(directory, HISTORY)
  const [history, times] = [await readFile(file, 'utf8').catch(() => null), await stat(file).catch(() => null)]
  const commit = await ownCommit(cwd, startedAt)
  const evidence: Findings['evidence'] = []
  if (history === null || times === null)
    evidence.push({ source: 'transcript', says: 'the agent left no history of this step' })
  else evidence.push({ source: 'transcript', locator: file, at: times.mtimeMs, says: 'found the history of this step' })
  if (commit !== null) evidence.push({ source: 'git', at: commit, says: 'found a commit by aider since the start' })
  // Times have whole seconds: the history written right after the commit has the same one.
  const isComplete = commit !== null && times !== null && times.mtimeMs >= commit
  return {
    isComplete,
    hasWork: commit !== null,
    text: history === null ? null : answerIn(history),
    sessionId,
    evidence,
  }
}

async function ownCommit(cwd: string, since: number): Promise<number | null> {
  const git = new Git(cwd)
  if ((await git.root()) === null) return null
  const { code, stdout } = await git.try(['log', '-20', '--format=%ct %an <%ae>|%cn'])
  if (code !== 0) return null
  const own = stdout.split('\n').find(line => line.toLowerCase().includes('aider'))
  const at = own === undefined ? Number.NaN : Number(own.split(' ', 1)[0]) * 1000
  return at >= Math.floor(since / 1000) * 1000 ? at : null
}

/** The text after our last message (`#### …`), without the program's own notes (`> …`). */
function answerIn(history: string): string | null {
  const lines = history.split('\n')
  const from = lines.findLastIndex(line => line.startsWith('#### '))
  const text = lines
    .slice(from + 1)
    .filter(line => !line.startsWith('> '))
    .join('\n')
    .trim()
  return text === '' ? null : text
}
