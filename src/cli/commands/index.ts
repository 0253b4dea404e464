import type { CommandContext } from '../context.js'
import type { CommandName, InputOf } from '../specs/index.js'

type Loader<Name extends CommandName> = () => Promise<{
  run: (context: CommandContext, input: InputOf<Name>) => Promise<number>
}>

/**
 * The code of each command, loaded only when it runs: `commands/<name>.ts`. The compiler checks
 * that `run` accepts what the spec of the command produces.
 */
export const LOADERS: { readonly [Name in CommandName]: Loader<Name> } = {
  status: () => import('./status.js'),
  demo: () => import('./demo.js'),
  open: () => import('./open.js'),
  serve: () => import('./serve.js'),
  watch: () => import('./watch.js'),
  start: () => import('./start.js'),
  sessions: () => import('./sessions.js'),
  rename: () => import('./rename.js'),
  diff: () => import('./diff.js'),
  use: () => import('./use.js'),
  attach: () => import('./attach.js'),
  send: () => import('./send.js'),
  read: () => import('./read.js'),
  wait: () => import('./wait.js'),
  stop: () => import('./stop.js'),
  interrupt: () => import('./interrupt.js'),
  resume: () => import('./resume.js'),
  files: () => import('./files.js'),
  approvals: () => import('./approvals.js'),
  approve: () => import('./approve.js'),
  deny: () => import('./deny.js'),
  reject: () => import('./deny.js'),
  answer: () => import('./answer.js'),
  grants: () => import('./grants.js'),
  oneshot: () => import('./oneshot.js'),
  implement: () => import('./implement.js'),
  review: () => import('./review.js'),
  pipelines: () => import('./pipelines.js'),
  run: () => import('./run.js'),
  validate: () => import('./validate.js'),
  graph: () => import('./graph.js'),
  trust: () => import('./trust.js'),
  fork: () => import('./fork.js'),
  conformance: () => import('./conformance.js'),
  runs: () => import('./runs.js'),
  show: () => import('./show.js'),
  logs: () => import('./logs.js'),
  export: () => import('./export.js'),
  pause: () => import('./pause.js'),
  cancel: () => import('./cancel.js'),
  replay: () => import('./replay.js'),
  explain: () => import('./explain.js'),
  packs: () => import('./packs.js'),
  drift: () => import('./drift.js'),
  stats: () => import('./stats.js'),
  switch: () => import('./switch.js'),
  'shell-integration': () => import('./shell-integration.js'),
  hooks: () => import('./hooks.js'),
  telegram: () => import('./telegram.js'),
  hook: () => import('./hook.js'),
  doctor: () => import('./doctor.js'),
  paths: () => import('./paths.js'),
  config: () => import('./config.js'),
  store: () => import('./store.js'),
  help: () => import('./help.js'),
  completion: () => import('./completion.js'),
}
