import AgentLink
import CommandSupport
import Foundation
import TrendyModels

extension DaemonRun {
  /// SIGHUP: the log's file may be another by now, and the configuration too.
  func onHangUp(_ writer: LogWriter, _ console: Console) {
    writer.reopen()
    present.reloaded(console)
    // An agent looks at its settings again, as after a change.
    if role != .hub { AgentSignal(storeDirectory: storeDirectory).send() }
  }

  /// The control socket of a hub, in its folder.
  func openControl(_ console: Console) -> ControlSocket? {
    let present = present
    do throws(CommandError) {
      return try ControlSocket(
        RuntimeFiles(hubDirectory: hubDirectory), board: LiveBoard(), reload: { present.reloaded(console) }
      ) {
        CommandError("This daemon is a hub and no agent", exit: .configuration)
      }
    } catch {
      // A hub that nobody can ask so still serves, and takes SIGHUP.
      console.talk("Hub: \(error.message)")
      return nil
    }
  }
}
