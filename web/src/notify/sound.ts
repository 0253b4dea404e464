/** Two short notes, made by the browser: no file is loaded. */
export function playSound(): void {
  try {
    const audio = new AudioContext()
    const volume = audio.createGain()
    volume.connect(audio.destination)
    volume.gain.value = 0.12
    for (const [index, pitch] of [660, 880].entries()) {
      const note = audio.createOscillator()
      note.frequency.value = pitch
      note.connect(volume)
      note.start(audio.currentTime + index * 0.16)
      note.stop(audio.currentTime + index * 0.16 + 0.13)
    }
    setTimeout(() => void audio.close(), 1_000)
  } catch {
    // Browsers play nothing before the first press on a page.
  }
}
