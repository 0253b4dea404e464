import type { AgentAdapter } from './adapter.js'
import { copilotTranscript } from './copilot-transcript.js'
import { exitIdAfter } from './exit-id.js'
import { copilotHeadless } from './headless/copilot.js'
import { movableDirectory } from './home-directory.js'
import { locateProgram } from './locate-program.js'
import { interactiveBySession, isUuid, type SessionArguments } from './own-session.js'
import { signInByNames } from './sign-in.js'

const SESSION: SessionArguments = {
  begin: id => [`--session-id=${id}`],
  resume: id => [`--resume=${id}`],
  options: ['--session-id', '--resume', '-r', '--continue', '--connect'],
  subcommands: [
    'login',
    'help',
    'init',
    'config',
    'update',
    'version',
    'workflow',
    'sessions',
    'plugin',
    'mcp',
    'skill',
  ],
  isId: isUuid,
}

/**
 * GitHub Copilot CLI in a terminal. Its transcript records permissions asked and answered, so its
 * hooks, which would have to be a plugin, are not needed.
 */
export const copilotAgent: AgentAdapter = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  pack: 'copilot',
  programs: ['copilot'],
  compact: '/compact',
  install: 'npm install -g @github/copilot, or see https://docs.github.com/copilot/how-tos/copilot-cli',
  version: { args: ['--version'], pattern: /(\d+\.\d+\.\d+(?:-[\w.]+)?)/ },
  reports: { osc7501: false, hooks: false, transcript: true, events: false, marks: ['OSC 9;4'] },
  locate: environment => locateProgram(['copilot'], environment),
  signIn: ({ env }) =>
    signInByNames(env, {
      variables: ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
      directory: movableDirectory(env, 'COPILOT_HOME', '.copilot'),
      files: [],
      next: 'run copilot login',
      elsewhere: 'no token is set; its login is in the keychain or in its settings, which are not checked',
    }),
  interactive: interactiveBySession(SESSION),
  transcript: copilotTranscript,
  headless: copilotHeadless,
  acp: ({ file, prefix }, { args }) => ({ file, args: [...prefix, '--acp', ...args] }),
  exitId: rows => exitIdAfter(rows, ['copilot', '--resume'], isUuid),
}
