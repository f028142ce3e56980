import AgentLink
import CommandSupport
import Foundation
import TrendyModels

extension DaemonRun {
  /// Handles SIGHUP: reopens the log file and reloads the configuration.
  func onHangUp(_ writer: LogWriter, _ console: Console) {
    writer.reopen()
    present.reloaded(console)
    // Wakes the agent so that it reads its settings.
    if role != .hub { AgentSignal(storeDirectory: storeDirectory).send() }
  }

  /// Control socket of a hub, in its folder.
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
      // A hub without a control socket still works and handles SIGHUP.
      console.talk("Hub: \(error.message)")
      return nil
    }
  }
}
