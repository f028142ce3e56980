import TrendyAgent
import AppContainer
import CommandSupport

extension Command {
  static let undoCommands: [Command] = [
    Command(
      path: ["undo"], arguments: "[<n>]",
      summary: "Take back what was last done to trips, vehicles and rules; or the last n things.", group: .daily,
      examples: ["undo", "undo 3"]
    ) { session in
      let words = try session.positionals(0...1, missing: "")
      let count = try words.first.map { word in
        guard let count = Int(word), (1...50).contains(count) else {
          throw session.usageError("'\(word)' is no number of things", hint: "1 to 50.")
        }
        return count
      }
      let container = try session.openStore()
      var labels: [String] = []
      do {
        for _ in 0..<(count ?? 1) { labels.append(try container.record.undo().label) }
      } catch let error as UndoError where !labels.isEmpty {
        session.console.talk(error.description)
      } catch UndoError.nothing {
        throw CommandError("There is nothing to take back", exit: .no)
      } catch let error as UndoError {
        if case .unreadable = error {
          throw CommandError(
            error.description,
            hint: "What was recorded is whole. With that file removed, what is done from now on can be taken back.",
            exit: .badData)
        }
        throw CommandError(error.description, hint: "trendy trip list shows them as they are.", exit: .refused)
      }
      if session.console.isJSON {
        session.console.document("trendy.undo/1", [("undone", .array(labels.map { .string($0) }))])
      }
      for label in labels { session.console.done("Taken back: \(label)") }
      return .done
    }
  ]
}
