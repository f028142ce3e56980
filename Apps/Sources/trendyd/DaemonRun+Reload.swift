import AgentLink
import CommandSupport
import Foundation
import TrendyModels

extension DaemonRun {
  /// Handles SIGHUP: reopens the log file and reloads the configuration.
  func onHangUp(_ writer: LogWriter, _ console: Console) {
    writer.reopen()
    present.reloaded(console)
    // The agent must wake to apply the new settings.
    if role != .hub { AgentSignal(storeDirectory: storeDirectory).send() }
  }

  /// Opens the control socket of a hub without an agent, or returns `nil` on failure.
  func openControl(_ console: Console) -> ControlSocket? {
    let present = present
    do throws(CommandError) {
      return try ControlSocket(
        RuntimeFiles(hubDirectory: hubDirectory), board: LiveStatusBroadcaster(), reload: { present.reloaded(console) }
      ) {
        CommandError(
          "This daemon runs a hub without an agent", hint: "Start it with --role both.", exit: .configuration)
      }
    } catch {
      // Without a control socket, the hub still works, and SIGHUP still reloads its configuration.
      console.talk("Hub: \(error.message)")
      return nil
    }
  }
}
