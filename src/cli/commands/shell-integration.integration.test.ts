import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { SHELL_SCRIPTS } from './shell-integration.js'

const bash = (script: string) =>
  spawnSync('bash', ['--norc', '--noprofile', '-i', '-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SCRIPT: SHELL_SCRIPTS.bash },
  })

describe('shell integration', () => {
  it('can be sourced twice, and keeps the person’s own prompt command', () => {
    const { stdout } = bash(
      'PROMPT_COMMAND="echo mine"; PS1="my prompt> "; eval "$SCRIPT"; eval "$SCRIPT"; echo "$PROMPT_COMMAND"; printf "%q\\n" "$PS0"; echo "$PS1"',
    )
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => line.trimEnd()),
    ).toEqual(['__signalbox_prompt; echo mine', '\\\\e\\]133\\;C\\\\e\\\\\\\\', 'my prompt>'])
  })

  it('appends itself to an array of prompt commands', () => {
    const { stdout } = bash('PROMPT_COMMAND=(one two); eval "$SCRIPT"; declare -p PROMPT_COMMAND')
    expect(stdout).toContain('([0]="__signalbox_prompt" [1]="one" [2]="two")')
  })

  it('preserves the exit code, and prints no marks without a terminal', () => {
    const { stdout } = bash('eval "$SCRIPT"; (exit 5); __signalbox_prompt; echo "code $?"')
    expect(stdout.trim()).toBe('code 5')
  })

  it('has no effect in a shell that is not interactive', () => {
    const { stdout } = spawnSync('bash', ['-c', `${SHELL_SCRIPTS.bash}\necho "[\${PS0-}]"`], { encoding: 'utf8' })
    expect(stdout.trim()).toBe('[]')
  })
})
