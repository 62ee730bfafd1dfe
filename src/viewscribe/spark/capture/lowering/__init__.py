"""What a step becomes that several ways of capturing meet: one tree for all of them."""
