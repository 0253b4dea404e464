import type { AgentAdapter } from './adapter.js'
import { exitIdAfter } from './exit-id.js'
import { geminiDirectory, geminiTranscript } from './gemini-transcript.js'
import { geminiHeadless } from './headless/gemini.js'
import { locateProgram } from './locate-program.js'
import { interactiveBySession, isUuid, type SessionArguments } from './own-session.js'
import { signInByNames } from './sign-in.js'

const SESSION: SessionArguments = {
  begin: id => ['--session-id', id],
  resume: id => ['--resume', id],
  options: ['--session-id', '--resume', '-r', '--session-file', '--list-sessions', '--delete-session'],
  subcommands: ['mcp', 'extensions', 'extension', 'skills', 'skill', 'hooks', 'hook', 'gemma'],
  isId: isUuid,
}

/**
 * Gemini CLI in a terminal.
 *
 * It has hooks, but none for one session alone: settings come from the person's and the project's
 * files, and from system files that it refuses unless they and all directories above them belong to
 * root (0.61, "Skipping system defaults file"). So no hooks are configured.
 */
export const geminiAgent: AgentAdapter = {
  name: 'gemini',
  title: 'Gemini CLI',
  pack: 'gemini',
  programs: ['gemini'],
  compact: '/compress',
  install: 'npm install -g @google/gemini-cli, or see https://geminicli.com/docs/get-started/installation/',
  version: { args: ['--version'], pattern: /^(\d+\.\d+\.\d+\S*)$/m },
  reports: { osc7501: false, hooks: false, transcript: true, events: false },
  locate: environment => locateProgram(['gemini'], environment),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA'],
      directory: geminiDirectory(env),
      files: ['oauth_creds.json', 'google_accounts.json', 'gemini-credentials.json'],
      next: 'run gemini and choose how to authenticate, or set GEMINI_API_KEY',
    }),
  interactive: interactiveBySession(SESSION),
  transcript: geminiTranscript,
  headless: geminiHeadless,
  acp: ({ file, prefix }, { args }) => ({ file, args: [...prefix, '--acp', ...args] }),
  acpReadsItself: true,
  exitId: rows => exitIdAfter(rows, ['gemini', '--resume'], isUuid),
}
