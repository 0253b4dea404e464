import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentAdapter, TranscriptPlace } from './adapter.js'
import { ConversationReader } from './conversation.js'
import { exitIdAfter } from './exit-id.js'
import { GeminiConversation } from './gemini-conversation.js'
import { movableDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { isUuid, type SessionArguments, sessionArguments } from './own-session.js'
import { signInByNames } from './sign-in.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

const SESSION: SessionArguments = {
  begin: id => ['--session-id', id],
  resume: id => ['--resume', id],
  options: ['--session-id', '--resume', '-r', '--session-file', '--list-sessions', '--delete-session'],
  subcommands: ['mcp', 'extensions', 'extension', 'skills', 'skill', 'hooks', 'hook', 'gemma'],
  isId: isUuid,
}

/**
 * Gemini CLI, as it is started in a terminal.
 *
 * It has hooks, but none for one session alone: settings come from the person's and the project's files, and from system files that it
 * refuses unless they and all directories above them belong to root (0.61, "Skipping system defaults file"). So none are wired here.
 */
export const geminiAgent: AgentAdapter = {
  name: 'gemini',
  title: 'Gemini CLI',
  pack: 'gemini',
  programs: ['gemini'],
  install: 'npm install -g @google/gemini-cli, or see https://geminicli.com/docs/get-started/installation/',
  version: { args: ['--version'], pattern: /^(\d+\.\d+\.\d+\S*)$/m },
  tells: { osc7501: false, hooks: false, transcript: true, events: false },
  locate: environment => locateProgram(['gemini'], environment),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
      directory: settingsDirectory(env),
      files: ['oauth_creds.json', 'google_accounts.json', 'gemini-credentials.json'],
      next: 'run gemini and choose how to authenticate, or set GEMINI_API_KEY',
    }),
  interactive(location, start) {
    const session = sessionArguments(start, SESSION)
    return {
      file: location.file,
      args: [...location.prefix, ...session.args, ...start.args],
      env: {},
      agentSessionId: session.id,
    }
  },
  transcript: {
    form: 'lines',
    locate: locateTranscripts,
    open: path => new ConversationReader(path, new GeminiConversation(path)),
  },
  exitId: rows => exitIdAfter(rows, ['gemini', '--resume'], isUuid),
}

function settingsDirectory(env: NodeJS.ProcessEnv): string {
  return join(movableDirectory(env, 'GEMINI_CLI_HOME'), '.gemini')
}

/** `~/.gemini/tmp/<project>/chats/session-<time>-<first 8 of the id>.jsonl`; `.project_root` names the directory of a project. */
async function locateTranscripts({ env, cwd, agentSessionId, startedAt }: TranscriptPlace): Promise<string[]> {
  const projects = join(settingsDirectory(env), 'tmp')
  const chats = (await namesIn(projects)).map(name => join(projects, name, 'chats'))
  if (agentSessionId !== null) {
    const end = `-${agentSessionId.slice(0, 8)}.jsonl`
    const isWanted = (name: string) => name.startsWith('session-') && name.endsWith(end)
    return writtenSince((await Promise.all(chats.map(folder => pathsIn(folder, isWanted)))).flat(), 0)
  }
  const isChat = (name: string) => name.startsWith('session-') && name.endsWith('.jsonl')
  const here: string[] = []
  for (const folder of chats) if (await isOfProject(folder, cwd)) here.push(...(await pathsIn(folder, isChat)))
  return writtenSince(here, startedAt)
}

async function isOfProject(chats: string, cwd: string): Promise<boolean> {
  const root = await readFile(join(dirname(chats), '.project_root'), 'utf8').catch(() => '')
  return root.trim() === cwd
}
