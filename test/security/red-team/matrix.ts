import type { Attack } from './attack.js'
import type { Outcome } from './hostile-home.js'

const GOALS: Readonly<Record<Attack['goal'], string>> = {
  decide: 'decide a request',
  gate: 'answer the gate of a run',
  grant: 'make a grant',
  type: 'type into another session',
  settings: 'change who may decide',
  token: 'get a credential',
  read: 'read what it was not given',
  write: 'write outside the project',
  escape: 'act outside the session',
  later: 'have code run outside later',
  shown: 'have a surface show what it was not given',
}

/** How the outcome is known: of an attack that was prevented, and of one that succeeded. */
const EVIDENCE: Readonly<Record<Attack['goal'], readonly [prevented: string, succeeded: string]>> = {
  decide: ['the request is pending, or stale as unproven', 'the request is decided'],
  gate: ['the node behind the gate has not run', 'the node behind the gate has run'],
  grant: ['the request is pending', 'the request is decided'],
  type: ['the request of the other session is pending', 'the request of the other session is answered'],
  settings: ['the settings file is as before', 'the settings file has changed, and every surface says so'],
  token: ['no token in its output', 'the token in its output'],
  read: ['the marked text is not in its output', 'the marked text is in its output'],
  write: ['the file does not exist', 'the file exists'],
  escape: ['its own check fails', 'its own check succeeds'],
  later: ['git and the dashboard have started nothing', 'git has started its program'],
  shown: ['diff, tree and files do not have the marked text', 'a surface shows the marked text'],
}

/** docs/security-matrix.md. */
export function matrixPage(
  attacks: readonly Attack[],
  { without, within }: { without: ReadonlyMap<string, Outcome>; within: ReadonlyMap<string, Outcome> },
): string {
  const result = (outcome: Outcome | undefined, attack: Attack, isSandboxed: boolean) => {
    if (!outcome) return 'not tried'
    if (!isSandboxed && attack.without === 'kernel') return 'up to the kernel'
    if (!outcome.succeeded) return 'prevented'
    return !isSandboxed && attack.without === 'detected' ? 'detected' : '**succeeds**'
  }
  const rows = attacks.map(attack =>
    [
      `\`${attack.id}\``,
      attack.title,
      GOALS[attack.goal],
      result(without.get(attack.id), attack, false),
      result(within.get(attack.id), attack, true),
      evidenceOf(attack, attack.without === 'kernel' ? undefined : without.get(attack.id), within.get(attack.id)),
    ].join(' | '),
  )
  const count = (found: ReadonlyMap<string, Outcome>, goals: readonly string[]) =>
    attacks.filter(
      attack =>
        goals.includes(attack.goal) &&
        found.get(attack.id)?.succeeded &&
        (found === within || attack.without !== 'kernel'),
    ).length
  const deciding = ['decide', 'gate', 'grant', 'type']
  return `# Attacks that are tried

A hostile program in a session tries each of these, as an ordinary user of Linux, without a sandbox and in one with its network off. \`test/security/red-team/\` has the scripts; this page is written by its test. [guarantees.md](guarantees.md) says why each holds.

| | without a sandbox | in a sandbox |
|---|---|---|
| attacks | ${attacks.length} | ${attacks.length} |
| that decide, grant or type | ${count(without, deciding)} | ${count(within, deciding)} |
| that succeed at all | ${count(without, Object.keys(GOALS))} | ${count(within, Object.keys(GOALS))} |

| attack | what it does | to | without a sandbox | in a sandbox | evidence |
|---|---|---|---|---|---|
${rows.map(row => `| ${row} |`).join('\n')}
`
}

/** Where the two outcomes differ, that without a sandbox comes first. */
function evidenceOf({ goal }: Attack, ...outcomes: (Outcome | undefined)[]): string {
  const texts = outcomes.flatMap(outcome => (outcome ? [EVIDENCE[goal][outcome.succeeded ? 1 : 0]] : []))
  return [...new Set(texts)].join(' / ')
}
