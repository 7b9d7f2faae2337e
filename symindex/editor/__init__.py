"""What an editor needs: followed folders, open documents, rows, relations."""
