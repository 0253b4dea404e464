import { describe, expect, it } from 'vitest'
import { loadConfig } from '../config/index.js'
import { copyOf, SWITCHES, type SwitchChange } from '../supervision/index.js'
import { Switches } from './switches.js'

function switches() {
  const isOn = new Map<string, boolean>(SWITCHES.map(name => [name, true]))
  const reported: SwitchChange[] = []
  const handles = Object.fromEntries(
    SWITCHES.map(name => [name, { get: () => isOn.get(name)!, set: (to: boolean) => void isOn.set(name, to) }]),
  )
  return { reported, all: new Switches(handles as never, change => reported.push(change)) }
}

describe('the switches of a host', () => {
  it.each(SWITCHES)('apply %s at once, and report each change once', name => {
    const { reported, all } = switches()
    all.set(name, false)
    all.set(name, false)
    expect(all.list()).toContainEqual({ switch: name, isOn: false })
    all.set(name, true)
    expect(reported).toEqual([
      { switch: name, isOn: false },
      { switch: name, isOn: true },
    ])
  })

  it('refuse an unknown switch and list the known ones', () => {
    const { reported, all } = switches()
    expect(() => all.set('nonsense', false)).toThrow(/unknown switch "nonsense"/)
    expect(reported).toEqual([])
  })

  it('change a copy of the settings, never the settings themselves', () => {
    const { config } = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' })
    const copy = copyOf(config)
    copy.heuristics.mode = 'off'
    copy.osc7501.enabled = false
    expect([config.heuristics.mode, config.osc7501.enabled]).toEqual(['auto', true])
  })
})
