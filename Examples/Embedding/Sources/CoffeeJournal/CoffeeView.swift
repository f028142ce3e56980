#if canImport(SwiftUI)
  import SwiftUI
  import TrendySync

  struct CoffeeView: View {
    let journal: CoffeeJournal
    @State private var status = SyncStatus()
    @State private var coffees = CoffeeJournal.recentCoffees()

    var body: some View {
      VStack {
        Button("Coffee") { Task { try await journal.drink("espresso") } }
        if status.isBusy { ProgressView() }
        Text(status.line).font(.footnote)
        List(coffees.value) { Text($0.notes ?? "coffee") }
      }
      .task { await status.follow(journal.states) }
      .task { await coffees.follow(journal.stores) }
      .refreshable { await journal.sync() }
    }
  }
#endif
