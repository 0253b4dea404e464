import { readFileSync } from 'node:fs'

/*
 * Loaded with `node --import` before a program whose clock is wrong: its wall clock differs from
 * that of the machine by the milliseconds in the file `clock-offset` of its home directory, also
 * after the file has changed. Its steady clock is right, as on a machine whose time was set.
 */
const file = `${process.env.SIGNALBOX_HOME}/clock-offset`
let offsetMs = 0

function read() {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    offsetMs = 0
  }
}

read()
setInterval(read, 200).unref()
const now = Date.now.bind(Date)
Date.now = () => now() + offsetMs
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
})
