/** `12:03`, in the time zone of the machine. */
export function clockTime(at: number, utcOffsetMinutes: number): string {
  return new Date(at + utcOffsetMinutes * 60_000).toISOString().slice(11, 16)
}
