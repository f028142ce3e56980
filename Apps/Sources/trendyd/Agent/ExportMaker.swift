import AgentLink
import AppContainer
import CommandSupport
import Foundation
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// Scheduler for exports. Each export runs `trendy` as a child process, so a crash does not affect the agent.
struct ExportMaker {
  let app: AppContainer
  let present: RunSettings
  let environment: [String: String]
  let console: Console

  /// Maximum duration of an export in seconds.
  private static let deadline = 3600.0

  /// Checks whether an export is due at startup, every minute and after a reload, until the task is cancelled.
  func run() async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    present.onReload { wake.yield() }
    let clock = app.clock
    let ticker = Task {
      wake.yield()
      // The sleep throws when the task is cancelled.
      while (try? await clock.sleep(for: .seconds(60))) != nil { wake.yield() }
    }
    defer { ticker.cancel() }
    var lastWords: String?
    for await _ in wakes {
      let words = await look()
      // Log a persistent error once, not for each retry.
      if let words, words != lastWords { console.talk("Agent: scheduled export failed: \(words)", level: .error) }
      if let words { lastWords = words }
    }
  }

  /// Exports if an export is due. Returns the error message if the export fails, otherwise `nil`.
  private func look() async -> String? {
    guard let plan = present.exports else { return nil }
    let local = present.preferences(app.makeStore()).local()
    let export = ScheduledExport(
      app.record, schedule: plan.schedule, folder: URL(filePath: plan.folder), local: local)
    do {
      switch try await export.look({ try await make(plan, $0) }) {
      case .notDue: return nil
      case .failed(let words): return words
      case .made(let name, let removed):
        let gone = removed.isEmpty ? "" : "; deleted \(removed.joined(separator: ", "))"
        console.talk("Agent: exported \(plan.folder)/\(name)\(gone).")
        return nil
      }
    } catch is CancellationError {
      return nil
    } catch {
      return "\(error)"
    }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private func make(_ plan: ExportPlan, _ file: URL) async throws {
    let path = "\(ProgramFolder.path)/trendy"
    let process = HookProcess()
    let (words, environment) = (
      plan.words(writing: file.path) + ["--store", app.storeDirectory.path, "-q"], environment
    )
    let (ending, output) = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            returning: process.run(path, words, input: [], environment: environment, seconds: Self.deadline))
        }
      }
    } onCancel: {
      process.end()
    }
    try Task.checkCancellation()
    let said = output.split(separator: "\n").first.map {
      $0.hasPrefix("Error: ") ? String($0.dropFirst(7)) : String($0)
    }
    switch ending {
    case .status(0): return
    case .status(let status): throw Failure(description: said ?? "trendy failed with status \(status)")
    case .signal(let signal): throw Failure(description: said ?? "trendy was killed by signal \(signal)")
    case .overdue: throw Failure(description: "it took longer than an hour and was stopped")
    case .notStarted(let reason): throw Failure(description: "cannot start \(path): \(reason)")
    }
  }
}
