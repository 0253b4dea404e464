import { describe, expect, it } from 'vitest'
import { loadConfig } from '../config/index.js'
import { copyOf, SWITCHES, type SwitchChange } from '../supervision/index.js'
import { Switches } from './switches.js'

function switches() {
  const isOn = new Map<string, boolean>(SWITCHES.map(name => [name, true]))
  const told: SwitchChange[] = []
  const handles = Object.fromEntries(
    SWITCHES.map(name => [name, { get: () => isOn.get(name)!, set: (to: boolean) => void isOn.set(name, to) }]),
  )
  return { told, all: new Switches(handles as never, change => told.push(change)) }
}

describe('off switches', () => {
  it.each(SWITCHES)('%s is turned at once, and each turn is told once', name => {
    const { told, all } = switches()
    all.set(name, false)
    all.set(name, false)
    expect(all.list()).toContainEqual({ switch: name, isOn: false })
    all.set(name, true)
    expect(told).toEqual([
      { switch: name, isOn: false },
      { switch: name, isOn: true },
    ])
  })

  it('refuses a switch that there is not, with those that there are', () => {
    const { told, all } = switches()
    expect(() => all.set('nonsense', false)).toThrow(/unknown switch "nonsense"/)
    expect(told).toEqual([])
  })

  it('change a copy of the settings, never the settings', () => {
    const { config } = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' })
    const copy = copyOf(config)
    copy.heuristics.mode = 'off'
    copy.osc7501.enabled = false
    expect([config.heuristics.mode, config.osc7501.enabled]).toEqual(['auto', true])
  })
})
