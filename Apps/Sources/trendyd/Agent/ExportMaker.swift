import AgentLink
import AppContainer
import CommandSupport
import Foundation
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// Has the exports made that the settings ask for, by `trendy` in a process of its own: whatever becomes of one, the agent goes on.
struct ExportMaker {
  let app: AppContainer
  let present: RunSettings
  /// Of the process.
  let environment: [String: String]
  let console: Console

  /// Seconds that one may take.
  private static let deadline = 3600.0

  /// Looks at the start, every minute, and when the settings were read again, until the task is cancelled. A machine that wakes up
  /// looks within a minute.
  func run() async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    present.onReload { wake.yield() }
    let clock = app.clock
    let ticker = Task {
      wake.yield()
      // Sleeping fails when the agent ends.
      while (try? await clock.sleep(for: .seconds(60))) != nil { wake.yield() }
    }
    defer { ticker.cancel() }
    var lastWords: String?
    for await _ in wakes {
      let words = await look()
      // Once, and not each time that it is tried again.
      if let words, words != lastWords { console.talk("Agent: the export was not made: \(words)", level: .error) }
      if let words { lastWords = words }
    }
  }

  /// - Returns: what went wrong; `nil` where nothing did.
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
        let gone = removed.isEmpty ? "" : "; \(removed.joined(separator: ", ")) removed"
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
    case .status(let status): throw Failure(description: said ?? "trendy ended with status \(status)")
    case .signal(let signal): throw Failure(description: said ?? "trendy was ended by signal \(signal)")
    case .overdue: throw Failure(description: "it took longer than an hour and was ended")
    case .notStarted(let reason): throw Failure(description: "\(path) cannot be started: \(reason)")
    }
  }
}
