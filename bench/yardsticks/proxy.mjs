// The proxy that people write when they want to see their traffic: forwards, splits into lines, parses
// each and logs it.
//
//   node proxy.mjs LOG COMMAND...
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'

const [log, command, ...args] = process.argv.slice(2)
const out = createWriteStream(log)
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })

function carry(from, to, direction) {
  let pending = ''
  from.on('data', (chunk) => {
    to.write(chunk)
    const lines = (pending + chunk.toString()).split('\n')
    pending = lines.pop()
    for (const line of lines) {
      let message = null
      try {
        message = JSON.parse(line)
      } catch {
        // not a message
      }
      out.write(JSON.stringify({ time: Date.now(), direction, message }) + '\n')
    }
  })
}

carry(process.stdin, server.stdin, 'in')
carry(server.stdout, process.stdout, 'out')
process.stdin.on('end', () => server.stdin.end())
