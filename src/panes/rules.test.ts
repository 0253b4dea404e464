import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../config/index.js'
import { statusTable } from './status-table.js'

/*
 * The specification of panes, rule by rule, and the test that proves each: `file > title`. A rule without a test, a test that was renamed or
 * taken away, a knob or a guard that is new and stands nowhere here: each fails this file.
 */
const RULES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '§1 evidence and reading': {
    'the highest report that has not expired wins, lower ones contradict':
      'panes/reading.test.ts > %s wins over %s, which may contradict and never overrules; expired, it is silent',
    'the order of arrival does not decide': 'panes/reading.test.ts > gives one reading whatever the order of arrival',
    'hook and transcript are of one rank': 'panes/reading.test.ts > lets the newer of hook and transcript speak',
    'idle is never a default':
      'panes/reading.test.ts > keeps the last claim when nothing is left: idle is never a default',
    'a working lapses before a live menu of a second':
      'panes/reading.test.ts > working, when a menu has stood for a second',
    'over a command of a shell with integration only if its program reads':
      'panes/menu-witness.test.ts > stays running, however long it stands, where nobody reads: %j',
    'a working lapses behind our own interrupt':
      'panes/reading.test.ts > working, when our interrupt was followed by an input box',
    'a hook’s done waits for its helpers':
      'host/panes-board.test.ts > §12 a turn that leaves helpers at work calls nobody until they are through',
    'a spinning title counts for 3 s':
      'panes/edge-rules.test.ts > a spinning title counts for 3 s after its last change, a title that says nothing takes its word back',
    'rest is settled by looks': 'panes/settle.test.ts > rest after work needs three looks 100 ms apart',
    'rest is settled by time':
      'panes/settle.test.ts > or 700 ms, whatever the number of looks; a millisecond less is not enough',
    'work and menus count at once':
      'panes/settle.test.ts > work and menus are believed at once, and rest where there was no work',
    'a dip does not restart a run':
      'panes/edge-rules.test.ts > goes on after a dip of less than 5 s, and is another one after a longer rest',
  },
  '§2 status': {
    'every status × every event':
      'panes/status.test.ts > has a cell for each of 6 statuses and 14 events, as in the specification',
    'every status × every claim and signal, from outside':
      'panes/status-walk.test.ts > once the hook is silent, %s speaks',
    'guard G1': 'panes/status.test.ts > %s and %s with %j: %s, %s',
    'guard G2': 'panes/status.test.ts > %s guards %s × %s: refused while it does not hold, applied when it does',
    'guard G3':
      'panes/status.test.ts > lets no lower authority end a run, until the report that began it has expired (G3)',
    'guard G4': 'panes/status.test.ts > keeps a wait that is not guessed when it is seen (G4)',
    'the order of refusal': 'panes/edge-rules.test.ts > is the older generation, then no rule, then the guard',
    'a live menu is left only by answer, decision or exit':
      'panes/status.test.ts > never leaves a live menu for idle without an answer, a clear or an exit',
    'the start of a run is never in the future':
      'panes/edge-rules.test.ts > whatever comes, the start of a run is never in the future and `stateId` never falls',
    'a person clears a run':
      'panes/supervisor.test.ts > a person clears a run, and nothing is guessed until something starts',
    'claims as events': 'panes/status.test.ts > %j after %j while %s: %s',
  },
  '§3 signals': {
    'every source is walked': 'panes/status-walk.test.ts > the walk has a case for every source of signals',
    'command-start and command-end with their exit code':
      'panes/supervisor.test.ts > runs and ends as the shell’s marks say, with the exit code, both marks in one breath',
    'what an agent’s hooks and transcript say': 'panes/reading.test.ts > %o',
    'process.foreground back at the shell':
      'panes/supervisor.test.ts > back at the shell without a word, a run that nobody better began has ended',
    'programs of one marked command':
      'panes/menu-witness.test.ts > programs of one command that come and go do not end it',
    'another program is another generation':
      'panes/supervisor.test.ts > another program in the pane ends the run of the one before, and raises the generation',
  },
  '§4 timers': {
    'a task that fails keeps none from its turn':
      'panes/supervisor.test.ts > a task that fails does not keep the others from their turn',
    'panes.long_after_s': 'panes/supervision-knobs.test.ts > panes.long_after_s',
    'panes.wait_fallback_s': 'panes/supervision-knobs.test.ts > panes.wait_fallback_s',
    'panes.wait_fallback_running':
      'panes/supervision-knobs.test.ts > a wait whose content changed ends as running only with `wait_fallback_running`',
    'panes.display_delay_s': 'panes/supervision-knobs.test.ts > panes.display_delay_s',
    'panes.dismiss_s': 'panes/supervision-knobs.test.ts > panes.dismiss_s',
    'panes.recent_s': 'panes/supervision-knobs.test.ts > panes.recent_s',
    'panes.quiet_run_s':
      'host/notify-center.test.ts > says nothing of a run that goes on, of a short one, of one in front of the person, of one that is switched off',
    'panes.focus_debounce_s': 'panes/supervisor.test.ts > counts focus as seen after `focus_debounce_s`, not before',
    'panes.poll_s': 'host/panes-board.test.ts > knob panes.poll_s: time passes for panes so often, and not oftener',
    'panes.flicker_max':
      'panes/supervision-knobs.test.ts > flicker is more than `flicker_max` changes within `flicker_window_s`',
    'panes.flicker_window_s':
      'panes/supervision-knobs.test.ts > flicker is more than `flicker_max` changes within `flicker_window_s`',
    'panes.flicker_hold_s': 'panes/supervision-knobs.test.ts > panes.flicker_hold_s',
    'panes.stuck_after_s': 'panes/supervision-knobs.test.ts > panes.stuck_after_s',
    'panes.stuck_tool_s': 'panes/supervision-knobs.test.ts > panes.stuck_tool_s',
    'panes.stuck_frozen_s':
      'panes/supervision-knobs.test.ts > a working row without motion is frozen after `stuck_frozen_s`, one that moves is not',
    'panes.history': 'panes/supervision-knobs.test.ts > panes.history',
    'panes.sources': 'e2e/watch.test.ts > watches several servers at once, and a pane of our own sessions beside them',
    'panes.tmux_socket':
      'panes/tmux/tmux-server.test.ts > knob panes.tmux_socket: a socket by its name is watched without its neighbours',
    'panes.max_total':
      'host/panes-tmux-roster.test.ts > knob panes.max_total: as many are supervised, and the next one when one goes, with what it shows',
    'panes.command_max': 'panes/job.test.ts > is cut to `command_max`, and not before',
    'reading.stale_s': 'panes/supervision-knobs.test.ts > reading.stale_s',
    'reading.settle_looks': 'panes/settle.test.ts > its looks, their gap and its longest time are knobs',
    'reading.settle_gap_ms': 'panes/settle.test.ts > its looks, their gap and its longest time are knobs',
    'reading.settle_max_ms': 'panes/settle.test.ts > its looks, their gap and its longest time are knobs',
    'osc7501.enabled': 'panes/supervision-knobs.test.ts > osc7501.enabled',
  },
  '§5 queue': {
    'first in, first out': 'panes/signal-queue.test.ts > gives signals back in the order in which they came',
    'neighbouring updates merge':
      'panes/signal-queue.test.ts > merges neighbouring content updates, and only neighbours',
    'from 80 % nothing unimportant':
      'panes/signal-queue.test.ts > takes nothing unimportant from 80 % on, and warns from 75 % on',
    'queue.max':
      'panes/signal-queue.test.ts > drops the oldest unimportant signal first, then the oldest unprotected one, then refuses',
    'what is protected is never dropped':
      'panes/signal-queue.test.ts > keeps every protected signal of any flood, in order',
    'an older generation is dropped': 'panes/signal-queue.test.ts > drops what an earlier program of the pane said',
  },
  '§6 heuristics': {
    'heuristics.mode': 'panes/heuristics/gate.test.ts > is closed by either switch',
    'heuristics.jobs': 'panes/heuristics/gate.test.ts > is open for a listed program about which nobody reports',
    'heuristics.titles':
      'panes/heuristics/gate.test.ts > is closed for programs that are not listed; a title counts only without a job name',
    'heuristics.prefer_job_name':
      'panes/heuristics/gate.test.ts > is closed for programs that are not listed; a title counts only without a job name',
    'heuristics.prompt_silence_s':
      'panes/heuristics/gate.test.ts > opens after exactly `prompt_silence_s` without a word of the shell',
    'silent while tier 1 speaks':
      'panes/heuristics/gate.test.ts > is closed while a higher authority speaks, and for a whole window after its last word',
    'silent behind rules, resizes and on unknown alternate screens':
      'panes/heuristics/gate.test.ts > is closed for 5 s after a rule of a pack held, 1 s after a resize, and on alternate screens of unknown programs',
    'a closed gate forgets nothing':
      'panes/heuristics/analyser.test.ts > says nothing through a closed gate, and remembers meanwhile',
    'job flip': 'panes/heuristics/gate.test.ts > stays closed for a window after a listed program gave way to another',
    'heuristics.tail_rows':
      'panes/heuristics/analyser.test.ts > a mark counts in the last `live_rows` rows, a negative pattern in the last `tail_rows`',
    'heuristics.live_rows':
      'panes/heuristics/analyser.test.ts > a mark counts in the last `live_rows` rows, a negative pattern in the last `tail_rows`',
    'prompt anchor':
      'panes/heuristics/analyser.test.ts > a prompt at the cursor that has settled is done; a bare dollar counts',
    'learned prompt':
      'panes/edge-rules.test.ts > a prompt that was learned at a certain rest counts without a pattern, numbers aside',
    'prompt after a spinner':
      'panes/edge-rules.test.ts > a prompt that comes while something spun a moment ago is an end at once',
    'heuristics.quiet_wait_s':
      'panes/heuristics/analyser.test.ts > a question at the cursor waits after `quiet_wait_s`; with a line break behind it, never',
    'a sign alone is no question':
      'panes/heuristics/analyser.test.ts > a sign alone is no question without words before it',
    'heuristics.flicker_guard_s':
      'panes/heuristics/analyser.test.ts > a question that is followed by output within the guard begins to stand anew',
    'Loading... at rest':
      'panes/heuristics/analyser.test.ts > "Loading..." at rest is neither prompt nor question nor spinner',
    'heuristics.quiet_done_s':
      'panes/heuristics/analyser.test.ts > a completion word is believed alone on its row, after `quiet_done_s`',
    'heuristics.interrupt_done_s':
      'panes/heuristics/analyser.test.ts > the mark gone is done after `interrupt_done_s` where that is set',
    'interrupt appears':
      'panes/heuristics/analyser.test.ts > the interrupt mark starts a run by appearing, once, newline gate or not',
    'interrupt disappears':
      'panes/heuristics/analyser.test.ts > the mark gone before quiet is done when quiet is reached, and not while rows change',
    'interrupt returns': 'panes/heuristics/analyser.test.ts > the mark that returns takes its going back',
    'interrupt scrolls off': 'panes/edge-rules.test.ts > a mark that scrolls off while rows change ends nothing',
    'interrupt is quoted':
      'panes/heuristics/analyser.test.ts > the mark in code, in a list, in quotes or in a menu’s footer is text',
    'approval appears':
      'panes/edge-rules.test.ts > a menu on the row of the cursor waits once, by appearing; in a list of text it does not',
    'order of evaluation':
      'panes/edge-rules.test.ts > a mark that went is an end at once with a prompt behind it; without one, a question that stands is heard first',
    'heuristics.newline_min':
      'panes/heuristics/analyser.test.ts > new lines make a run; typing does not, and short changes do not',
    'heuristics.burst_min':
      'panes/heuristics/analyser.test.ts > a burst of `burst_min` characters makes a run without a new line',
    'heuristics.line_rate_min':
      'panes/heuristics/analyser.test.ts > new lines make a run; typing does not, and short changes do not',
    'heuristics.quiet_idle_s':
      'panes/heuristics/analyser.test.ts > "Loading..." at rest is neither prompt nor question nor spinner',
    'heuristics.idle_reemit_s':
      'panes/heuristics/analyser.test.ts > the same signal is not repeated within `debounce_s`, and the same idle not within `idle_reemit_s`',
    'heuristics.debounce_s':
      'panes/heuristics/analyser.test.ts > the same signal is not repeated within `debounce_s`, and the same idle not within `idle_reemit_s`',
    'heuristics.stall_s':
      'panes/heuristics/analyser.test.ts > only motion for `stall_s` is a plateau: a mark, or a wait where that is wished',
    'heuristics.plateau':
      'panes/heuristics/analyser.test.ts > only motion for `stall_s` is a plateau: a mark, or a wait where that is wished',
    'heuristics.patterns': 'panes/heuristics/analyser.test.ts > a negative pattern silences the look',
    'suppressed until reactivation':
      'panes/heuristics/analyser.test.ts > nothing is guessed after an end until something starts',
    'panes share no memory': 'panes/supervisor.test.ts > two panes never share what they remember',
  },
  '§7 jobs': {
    'the name of a job': 'panes/job.test.ts > %s is %s',
    'the shell itself': 'panes/job.test.ts > a shell that runs a script is no plain shell',
    'no secret is shown': 'panes/job.test.ts > shows no secret of %j',
  },
  '§8 progress': {
    'progress and its absence':
      'panes/pane-marks.test.ts > is missed after `stuck_after_s`, not before, and comes back with any news',
    frozen:
      'panes/pane-marks.test.ts > is frozen where a row claims work and nothing moves for `stuck_frozen_s`; a spinner is motion, not progress',
    'retry and helpers': 'panes/supervision-knobs.test.ts > waiting for a retry or for helpers is never stuck',
  },
  '§9 counters and reasons': {
    'every counter': 'panes/edge-rules.test.ts > %s is counted where it happens, and not before',
    'every reason of suppression': 'panes/heuristics/suppress-reasons.test.ts > §9 %s is why a signal is kept back',
    'every report with what became of it': 'panes/supervisor.test.ts > logs every report with what became of it',
  },
  '§10 sources': {
    framing: 'panes/tmux/control-stream.test.ts > gives the same however the bytes are cut',
    octal: 'panes/tmux/control-stream.test.ts > turns every byte that tmux escapes back into itself',
    'output after content':
      'panes/tmux/tmux-server.test.ts > tells of every pane, then of its content, then of what it prints; nothing printed before counts twice',
    pause: 'panes/tmux/tmux-server.test.ts > takes the content whole after a pause, and lets the pane go on',
    'sessions that come':
      'panes/tmux/tmux-server.test.ts > a session that comes while the list of sessions is read is joined all the same',
    'ids given again':
      'panes/tmux/tmux-server.test.ts > an id that was given to another process is told with its new process and its new content',
    'lost and found':
      'panes/tmux/tmux-server.test.ts > a server that dies takes its panes along, is looked for after 1, then 2 seconds, and is found again',
    'real tmux': 'e2e/watch.test.ts > goes on through copy mode, a resize, and the death and return of the server',
    iTerm2: 'panes/pane-source.test.ts > has no job without shell integration, and that is no error',
  },
  '§11 hooks': {
    'whose it is':
      'host/hook-inbox.test.ts > without a token: by the session’s name, the agent’s own id, or its directory if only one is there',
    unassigned: 'host/hook-inbox.test.ts > one that is nobody’s yet waits for its session, not longer than 30 s',
    repeats:
      'host/hook-inbox.test.ts > is heard once: repeats by id, or by session, tool use and event, are ignored for ten minutes',
    unknown: 'host/hook-inbox.test.ts > unknown sources and events are counted and change nothing',
    malformed: 'host/hook-inbox.test.ts > malformed (%s) is refused and noted, once a second',
    'foreign panes': 'e2e/watch.test.ts > hears hooks of an agent in a pane that somebody else started, and says why',
  },
  '§12 notifications': {
    'notify.enabled':
      'host/notify-center.test.ts > switched off it calls nobody and drops what waits; on again it calls',
    'notify.needs_you': 'host/notify-center.test.ts > each kind can be switched off by itself',
    'notify.done': 'host/notify-center.test.ts > each kind can be switched off by itself',
    'notify.failed': 'host/notify-center.test.ts > each kind can be switched off by itself',
    'notify.stuck_s':
      'host/notify-center.test.ts > calls for a pane that is stuck after `stuck_s`, and not if it moved on',
    'notify.done_delay_s':
      'host/notify-center.test.ts > tells of an end after `done_delay_s`, with agent, project, place and duration, and no command line',
    'notify.dedupe_s': 'host/notify-center.test.ts > the same words within `dedupe_s` are said once',
    'notify.pane_gap_s':
      'host/notify-center.test.ts > tells one end per pane in `pane_gap_s`: the later one waits, and replaces',
    'notify.quiet':
      'host/panes-board.test.ts > §12 quiet hours: ends wait for the morning and come as one, outside of them at once',
    'notify.channels':
      'host/notify-center.test.ts > calls for a question at once: the desktop where nobody is here, only the terminal where somebody is',
    'notify.grace_s': 'approvals/notify-plan.test.ts > only there, nothing elsewhere for twenty seconds',
    'notify.next_s':
      'approvals/notify-plan.test.ts > first channel, next channel, all channels, one reminder, then silence',
    'notify.all_s':
      'approvals/notify-plan.test.ts > first channel, next channel, all channels, one reminder, then silence',
    'notify.remind_s':
      'approvals/notify-plan.test.ts > first channel, next channel, all channels, one reminder, then silence',
    'notify.command':
      'e2e/watch-switches.test.ts > calls the desktop’s notifier and the person’s own command for a question, without a shell and without the command line',
    'notify.desktop':
      'e2e/watch-switches.test.ts > calls the desktop’s notifier and the person’s own command for a question, without a shell and without the command line',
    'notify.terminal':
      'cli/watch/watch-screen.test.ts > calls the terminal by bell and codes that text of programs cannot end',
    'presence, through the daemon':
      'e2e/watch-switches.test.ts > while somebody presses keys in `watch`, only that terminal calls',
    'quiet hours, through the daemon':
      'e2e/watch-switches.test.ts > in quiet hours nobody is called, and what was held is counted',
    'sub-agents':
      'host/panes-board.test.ts > §12 sub-agents call nobody, whatever they do or how they end; the end of the turn does',
    loops:
      'host/panes-board.test.ts > §12 the same question in a loop calls five times at most, once to say that it is a loop',
    'one question, one call':
      'host/notify-center.test.ts > calls once for one question, says when it is over, and calls again for the next',
  },
  '§13 off switches': {
    'each switch at once': 'host/panes-switches.test.ts > %s is turned at once, and each turn is told once',
    'heuristics off':
      'e2e/watch-switches.test.ts > with heuristics off a listed program that reports nothing changes no status; marks still do',
    'a pane that is muted':
      'host/panes-board.test.ts > §13 notifications off per pane: nothing is told of it, and on again the next end is',
    'watch --raw': 'e2e/watch-switches.test.ts > `watch --raw` lists panes without a word about their status',
  },
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const texts = new Map<string, string>()

/** The text of a test file; tests through the public entry lie outside of the rooms. */
function textOf(file: string): string {
  const known = texts.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(ROOT, file.startsWith('e2e/') ? 'test' : 'src', file), 'utf8')
  texts.set(file, text)
  return text
}

const all = Object.values(RULES).flatMap(rules => Object.entries(rules))

describe.each(Object.entries(RULES))('%s', (_section, rules) => {
  it.each(Object.entries(rules))('%s: %s', (_rule, test) => {
    const [file, ...title] = test.split(' > ')
    const text = textOf(file!)
    expect(["'", '`'].some(quote => text.includes(quote + title.join(' > ') + quote))).toBe(true)
    expect(text).not.toMatch(/\b(?:it|test|describe)\.(?:skip|todo|only)\b/)
  })
})

it('every knob stands in the list', () => {
  const { config } = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' })
  const groups = ['panes', 'reading', 'queue', 'osc7501', 'heuristics', 'notify'] as const
  const knobs = groups.flatMap(group => Object.keys(config[group]).map(name => `${group}.${name}`))
  const listed = new Set(all.map(([rule]) => rule))
  expect(knobs.filter(knob => !listed.has(knob))).toEqual([])
})

it('every guard of the table stands in the list', () => {
  const guards = Object.keys(statusTable.definition.guards ?? {})
  const listed = new Set(all.map(([rule]) => rule))
  expect(guards.filter(guard => !listed.has(`guard ${guard}`))).toEqual([])
  expect(guards).toHaveLength(4)
})
